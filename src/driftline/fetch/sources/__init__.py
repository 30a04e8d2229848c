"""The operator's own sources behind the fetch port: files, folders, commands, mailboxes, repositories."""
