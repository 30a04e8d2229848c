"""Answers in the shapes that booking systems have, each with the `venue time` of what is open in it."""

from __future__ import annotations

from typing import Any

SITE = "b.example"  # the only venue, where no slot names one
DAY = "2026-12-01"  # left out of a time that is on it


def at(*times: str, venue: str = SITE) -> list[str]:
    return [f"{venue} {time}" for time in times]


SHAPES: dict[str, tuple[Any, list[str]]] = {
    "days with lists of instants": (
        {
            "availabilities": [{"date": DAY, "slots": [f"{DAY}T10:00:00.000+01:00"]}, {"date": "2026-12-02", "slots": []}],
            "total": 1,
            "next_slot": "2026-12-09T09:00:00.000+01:00",
        },
        at("09:00"),
    ),
    "days with spots": (
        {
            "today": "2026-11-01",
            "days": [
                {"date": DAY, "status": "unavailable", "spots": []},
                {
                    "date": "2026-12-02",
                    "status": "available",
                    "spots": [
                        {"status": "available", "start_time": "2026-12-02T10:00:00Z", "invitees_remaining": 1},
                        {"status": "unavailable", "start_time": "2026-12-02T11:00:00Z", "invitees_remaining": 0},
                    ],
                },
            ],
        },
        at("2026-12-02T10:00"),
    ),
    "a list of times with places left": (
        [{"time": f"{DAY}T10:00:00-0800", "slotsAvailable": 1}, {"time": f"{DAY}T11:00:00-0800", "slotsAvailable": 0}],
        at("18:00"),
    ),
    "a map of days to objects": ({"slots": {DAY: [{"time": f"{DAY}T09:00:00.000Z"}], "2026-12-02": []}}, at("09:00")),
    "a map of days to clock times": ({"result": {DAY: ["09:00:00", "10:00:00"], "2026-12-02": []}}, at("09:00", "10:00")),
    "a map of days and hours, with the taken ones beside": (
        {
            "message": "Successfully retrieved",
            "data": {"slots": {DAY: {"10:00": [[1, None]], "10:30": [[1, 2]]}}, "occupied": {DAY: {"11:00": [[1, None]]}}},
        },
        at("10:00", "10:30"),
    ),
    "a map of hours to flags": (
        {DAY: {"10:00": True, "10:30": False, "11:00": 1, "11:30": 0, "12:00": "free", "12:30": "booked"}},
        at("10:00", "11:00", "12:00"),
    ),
    "date and time apart": ([{"date": DAY, "time": "08:10"}, {"date": DAY, "time": "08:20"}], at("08:10", "08:20")),
    "a 12-hour clock beside an American date": ({"slots": [{"date": "12/01/2026", "time": "2:30 PM"}]}, at("14:30")),
    "spans of time": ({"date": DAY, "slots": ["10:00 - 10:30", "1:30 - 2:30 PM"]}, at("10:00", "13:30")),
    "free days": ([{"date": DAY}, {"date": "2026-12-03"}], at("00:00", "2026-12-03T00:00")),
    "days of a calendar": (
        {
            "months": [
                {"days": [{"date": DAY, "available": True, "price": {"a": 1}}, {"date": "2026-12-02", "available": False}]}
            ]
        },
        at("00:00"),
    ),
    "seconds since 1970": ({"appointmentTimestamps": [1796119200, 1796119800]}, at("10:00", "10:10")),
    "milliseconds since 1970": ({"appointments": [{"start": 1796119200000}]}, at("10:00")),
    "JSON inside of JSON, with ticks": ({"d": '[{"Start": "/Date(1796119200000)/"}]'}, at("10:00")),
    "shifts with times": (
        {
            "status": 200,
            "data": {
                "availability": {
                    DAY: [{"name": "Dinner", "times": [{"time": "5:00 PM", "time_iso": f"{DAY} 17:00:00", "type": "book"}]}]
                }
            },
        },
        at("17:00"),
    ),
    "a location by its id, with segments inside of the slot": (
        {"availabilities": [{"start_at": f"{DAY}T10:00:00Z", "location_id": "L1", "appointment_segments": [{"minutes": 60}]}]},
        at("10:00", venue="L1"),
    ),
    "places and people as objects": (
        {
            "Availabilities": [
                {
                    "Id": 99,
                    "Staff": {"Id": 7, "Name": "Ann"},
                    "StartDateTime": f"{DAY}T10:00:00",
                    "EndDateTime": f"{DAY}T11:00:00",
                    "Location": {"Id": 1, "Name": "North"},
                }
            ]
        },
        at("10:00", venue="1/7"),
    ),
    "offices with days with slots": (
        {
            "LocationAvailabilityDates": [
                {
                    "LocationId": 601,
                    "AvailabilityDate": f"{DAY}T00:00:00",
                    "AvailableTimeSlots": [{"SlotId": 1, "StartDateTime": f"{DAY}T10:10:00", "FormattedTime": "10:10 AM"}],
                },
                {"LocationId": 601, "AvailabilityDate": "2026-12-02T00:00:00", "AvailableTimeSlots": []},
            ]
        },
        at("10:10", venue="601"),
    ),
    "an office's list": (
        [{"locationId": 5140, "startTimestamp": f"{DAY}T10:00", "endTimestamp": f"{DAY}T10:10", "active": True}],
        at("10:00", venue="5140"),
    ),
    "flags that are words": (
        {
            "result": {
                "slots": [{"start": f"{DAY} 10:00:00", "available": "true"}, {"start": f"{DAY} 11:00:00", "available": "0"}]
            }
        },
        at("10:00"),
    ),
    "two lists of the same times": ({"available_times": ["10:00", "10:30"], "business_times": ["10:00"]}, at("10:00", "10:30")),
    "sites by id with days and states": (
        {
            "campsites": {
                "1234": {
                    "campsite_id": "1234",
                    "site": "A01",
                    "availabilities": {f"{DAY}T00:00:00Z": "Available", "2026-12-02T00:00:00Z": "Reserved"},
                }
            }
        },
        at("00:00", venue="1234"),
    ),
    "a start in two spellings": (
        {
            "data": [
                {
                    "starts_at": {"format_12_hour": "10:00am", "format_24_hour": "10:00"},
                    "date": DAY,
                    "spaces": 3,
                    "location": "C 1",
                },
                {
                    "starts_at": {"format_12_hour": "11:00am", "format_24_hour": "11:00"},
                    "date": DAY,
                    "spaces": 0,
                    "location": "C 1",
                },
            ]
        },
        at("10:00", venue="C 1"),
    ),
    "courts with slots of several lengths": (
        [
            {"resource_id": "r1", "start_date": DAY, "slots": [{"start_time": "10:00:00", "duration": 60, "price": "20 EUR"}]},
            {
                "resource_id": "r2",
                "start_date": DAY,
                "slots": [{"start_time": "10:00:00", "duration": 60}, {"start_time": "10:00:00", "duration": 90}],
            },
        ],
        ["r1 10:00", "r2 10:00"],
    ),
    "restaurants with days": (
        {
            "availability": [
                {
                    "restaurantId": 123,
                    "availabilityDays": [
                        {
                            "date": DAY,
                            "slots": [
                                {"isAvailable": True, "dateTime": f"{DAY}T19:00", "slotHash": "1"},
                                {"isAvailable": False, "dateTime": f"{DAY}T19:30", "slotHash": "2"},
                            ],
                        }
                    ],
                }
            ]
        },
        at("19:00", venue="123"),
    ),
    "venues with people with slots": (
        {
            "venues": [
                {
                    "id": 1,
                    "name": "North",
                    "staff": [
                        {"id": 7, "name": "Ann", "slots": [{"id": "t1", "start": f"{DAY}T10:00"}]},
                        {"id": 8, "name": "Bob", "slots": [{"id": "t2", "start": f"{DAY}T10:00"}]},
                    ],
                }
            ]
        },
        ["1/7 10:00", "1/8 10:00"],
    ),
    "edges and nodes": (
        {"data": {"location": {"edges": [{"cursor": "x", "node": {"startTime": f"{DAY}T10:00"}}]}}},
        at("10:00"),
    ),
    "a bundle of resources": (
        {
            "resourceType": "Bundle",
            "entry": [
                {"resource": {"id": "1", "status": "free", "start": f"{DAY}T10:00:00Z", "end": f"{DAY}T10:20:00Z"}},
                {"resource": {"id": "2", "status": "busy", "start": f"{DAY}T10:20:00Z", "end": f"{DAY}T10:40:00Z"}},
            ],
        },
        at("10:00"),
    ),
    "times with their zone beside": (
        {
            "value": [
                {"start": {"dateTime": f"{DAY}T10:00:00.0000000", "timeZone": "UTC"}, "end": {"dateTime": f"{DAY}T11:00:00"}}
            ]
        },
        at("10:00"),
    ),
    "seconds inside of an object": (
        {"slot_time_availability": [{"slot_time": {"service_id": "1000", "start_sec": 1796119200}, "count_available": 2}]},
        at("10:00"),
    ),
    "a start under a longer name": (
        {
            "timeSlots": [
                {"localStartDate": f"{DAY}T10:00:00", "localEndDate": f"{DAY}T11:00:00", "bookable": True, "openSpots": 1},
                {"localStartDate": f"{DAY}T11:00:00", "localEndDate": f"{DAY}T12:00:00", "bookable": False, "openSpots": 1},
            ]
        },
        at("10:00"),
    ),
    "rows of texts": (
        {"slots": [[DAY, "10:00", "10:30", "Room 1", 3], [DAY, "11:00", "11:30", "Room 1", 3]]},
        at("10:00", "11:00"),
    ),
    "a venue that is closed at night": (
        {"venues": [{"id": 4, "open": False, "opening_times": [{"from": "09:00"}], "slots": [{"start": f"{DAY}T10:00"}]}]},
        at("10:00", venue="4"),
    ),
    "a day that is sold out as a whole": ({"days": [{"date": DAY, "available": False, "times": ["10:00"]}]}, []),
    "people by their names": (
        {"slots": [{"provider": "Dr. Chen", "start": f"{DAY}T10:00"}, {"provider": "Dr. Wu", "start": f"{DAY}T10:00"}]},
        ["Dr. Chen 10:00", "Dr. Wu 10:00"],
    ),
    "today's date beside clock times": ({"date": "2026-11-01", "slots": ["10:00"]}, at("10:00")),
    "classes with capacity": (
        {
            "classes": [
                {"start_at": f"{DAY}T10:00", "capacity": 10, "booked": 10},
                {"start_at": f"{DAY}T11:00", "capacity": 10, "booked": 9},
            ]
        },
        at("11:00"),
    ),
    "tickets that are left": (
        {"slots": [{"start": f"{DAY}T10:00", "availableTickets": 0}, {"start": f"{DAY}T11:00", "availableTickets": 2}]},
        at("11:00"),
    ),
    "a quota around the list": ({"data": {"seats_left": 0, "results": [{"start": f"{DAY}T10:00"}]}}, at("10:00")),
    "German names": ({"Termine": [{"Datum": "01.12.2026", "Uhrzeit": "10:00"}]}, at("10:00")),
    "a map of features": (
        {
            "features": [
                {
                    "properties": {
                        "id": 5,
                        "name": "Pharmacy",
                        "appointments": [{"time": f"{DAY}T10:00:00.000-08:00", "type": "x"}],
                    }
                }
            ]
        },
        at("18:00", venue="5"),
    ),
    "advice beside an empty list": (
        {"slots": [], "suggestions": [{"start": "2026-12-02T10:00"}], "next_available": "2026-12-09T10:00"},
        [],
    ),
    "an empty map": ({"slots": {}}, []),
    "an empty list": ([], []),
    "all taken": ({"slots": [{"start": f"{DAY}T10:00", "status": "booked"}]}, []),
}
