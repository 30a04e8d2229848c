"""When a watch is checked: intervals, cron lines, time windows and time zones."""
