"""Further answers in the shapes that booking systems have: taken days, counts, maps, and times in unusual places."""

from __future__ import annotations

from typing import Any

from tests.unit.kinds.availability.shapes import DAY, at

NEXT = "2026-12-02"

MORE_SHAPES: dict[str, tuple[Any, list[str]]] = {
    "a day of taken slots that has a start itself": (
        [
            {"start": f"{DAY}T08:00:00Z", "slots": [{"start": f"{DAY}T09:00:00Z", "isAvailable": True}]},
            {"start": f"{NEXT}T08:00:00Z", "slots": [{"start": f"{NEXT}T09:00:00Z", "isAvailable": False}]},
        ],
        at("09:00"),
    ),
    "slots that hold the span of their time": (
        [{"slots": [{"start": "0", "businessHours": {"start": f"{DAY}T09:00:00Z", "end": "x"}, "isAvailable": True}]}],
        at("09:00"),
    ),
    "places under a short French name": (
        {DAY: [{"time": "17:15", "places_dispo": 1}, {"time": "17:30", "places_dispo": 0}]},
        at("17:15"),
    ),
    "a list of maps of days": (
        {"slots": [{DAY: [{"slot_beginning": f"{DAY}T14:50:00Z"}]}, {NEXT: []}]},
        at("14:50"),
    ),
    "a list of maps of empty days": ({"total": 0, "slots": [{DAY: []}, {NEXT: []}]}, []),
    "a map of days to departments": (
        {"dateToSlots": {NEXT: {}, DAY: {"e01e": {"slots": [{"time": "07:15:00"}]}}}},
        at("07:15"),
    ),
    "a map of empty days": ({"dateToSlots": {DAY: {}, NEXT: {}}}, []),
    "a map of days to quotas": (
        {"availability": {DAY: {"total": 20, "remaining": 3}, NEXT: {"total": 20, "remaining": 0}}},
        at("00:00"),
    ),
    "nothing in a list of times": ({"available_times": [None], "business_times": [None]}, []),
    "a timestamp and how many are active": (
        [{"active": 1, "total": 3, "timestamp": f"{DAY}T08:00"}, {"active": 0, "total": 3, "timestamp": f"{DAY}T08:10"}],
        at("08:00"),
    ),
    "a day in an object of its own": (
        [{"appointmentDt": {"date": NEXT, "dayOfWeek": "Wednesday"}, "startTm": "08:15", "endTm": "08:50"}],
        at(f"{NEXT}T08:15"),
    ),
    "times deep below a day at midnight": (
        {
            "slots": [
                {"date": "01/12/2026 00:00:00", "counters": [{"groups": [{"timeSlot": "09:00-09:15", "remainingSeats": 1}]}]}
            ]
        },
        at("09:00"),
    ),
    "sessions with a capacity and no times": (
        {
            "centers": [
                {
                    "center_id": 7,
                    "sessions": [
                        {"date": "01-12-2026", "available_capacity": 50, "slots": ["FORENOON"]},
                        {"date": "02-12-2026", "available_capacity": 0, "slots": ["FORENOON"]},
                        {"date": "03-12-2026", "available_capacity": 0, "slots": ["09:00AM-11:00AM"]},
                    ],
                }
            ]
        },
        at("00:00", venue="7"),
    ),
    "no centers": ({"centers": []}, []),
    "a court whose activities have slots": (
        {
            "member": [
                {
                    "id": 1,
                    "name": "Padel 1",
                    "activities": [
                        {
                            "id": 9,
                            "slots": [
                                {"startAt": "10:00", "prices": [{"bookable": False}, {"bookable": True}]},
                                {"startAt": "11:00", "prices": [{"bookable": False}, {"bookable": False}]},
                            ],
                        }
                    ],
                },
                {"id": 2, "name": "Padel 2", "activities": [{"id": 9, "slots": [{"startAt": "10:00"}]}]},
            ]
        },
        [*at("10:00", venue="1/9"), *at("10:00", venue="2/9")],
    ),
    "bookings and how many there may be": (
        [
            {"date": DAY, "startTime": "09:00", "maxBookings": 5, "bookings": 3},
            {"date": DAY, "startTime": "10:00", "maxBookings": 3, "bookings": 3},
        ],
        at("09:00"),
    ),
    "a type that says it": (
        [
            {"date": DAY, "time": "09:00:00", "type": "free"},
            {"date": DAY, "time": "10:00:00", "type": "busy"},
            {"date": DAY, "time": "11:00:00", "type": "reserved_time"},
        ],
        at("09:00"),
    ),
    "hours and minutes as numbers": (
        {"availabilities": [{"date": DAY, "hour": 9, "minute": 0}, {"date": DAY, "hour": 9, "minute": 30}]},
        at("09:00", "09:30"),
    ),
    "a capacity that is used up": (
        {"teetimes": [{"start_time": "8:00", "out_of_capacity": False}, {"start_time": "8:10", "out_of_capacity": True}]},
        at("08:00"),
    ),
    "days of work beside those to book": (
        {"data": {"booking_dates": [DAY], "working_dates": [DAY, NEXT]}},
        at("00:00"),
    ),
    "a timetable": (
        {"timetables": [{"timestamp": 1796119200, "spaces": 12}, {"timestamp": 1796122800, "spaces": 0}]},
        at("10:00"),
    ),
    "units with slices of days": (
        {
            "Facility": {
                "Units": {
                    "1.1": {"UnitId": 4, "Slices": {f"{DAY}T00:00:00": {"Date": DAY, "IsFree": True}}},
                    "1.2": {"UnitId": 5, "Slices": {f"{DAY}T00:00:00": {"Date": DAY, "IsFree": False}}},
                }
            }
        },
        at("00:00", venue="4"),
    ),
    "slots of schedules by reference": (
        {
            "entry": [
                {"resource": {"schedule": {"reference": "Schedule/1"}, "status": "free", "start": f"{DAY}T10:00:00Z"}},
                {"resource": {"schedule": {"reference": "Schedule/2"}, "status": "free", "start": f"{DAY}T10:00:00Z"}},
            ]
        },
        [*at("10:00", venue="Schedule/1"), *at("10:00", venue="Schedule/2")],
    ),
    "a bundle without entries": ({"resourceType": "Bundle", "total": 0, "link": [{"relation": "self"}]}, []),
    "next week beside this one": (
        {"thisWeek": [f"{DAY} 10:00"], "nextWeekSlots": ["2026-12-08 10:00"]},
        at("2026-12-08T10:00"),
    ),
    "a piece of a page": (
        {"success": True, "html": f'<div data-date="{DAY}"><button data-time="10:00">10:00</button></div>'},
        at("10:00"),
    ),
    "an error that is none": ({"errorMessage": "Success", "availableSlots": []}, []),
    "words that there is nothing": ({"success": False, "message": "No slots available for the selected date"}, []),
    "an error that there is nothing": (
        {"earliestDate": None, "error": {"code": 1035, "description": "No slots available"}},
        [],
    ),
    "a code that there is nothing": ({"errorCode": "noAppointmentForThisScope", "errorMessage": "?"}, []),
    "courts with minutes of the day": (
        {
            "EarliestStartTime": 420,
            "LatestEndTime": 1320,
            "Resources": [
                {
                    "ID": "r1",
                    "Name": "Court 1",
                    "Days": [
                        {
                            "Date": f"{DAY}T00:00:00",
                            "Sessions": [
                                {"ID": "s1", "StartTime": 570, "EndTime": 630, "Capacity": 1},
                                {"ID": "s2", "StartTime": 630, "EndTime": 690, "Capacity": 0},
                            ],
                        }
                    ],
                }
            ],
        },
        at("09:30", venue="r1"),
    ),
    "clocks as numbers without a colon": (
        {"date": DAY, "slots": [{"startTime": 930, "endTime": 1000}, {"startTime": 1830, "endTime": 1900}]},
        [*at("09:30"), *at("18:30")],
    ),
    "slots that are called by their time, for nobody or for some": (
        [
            {
                "date": DAY,
                "shifts": [
                    {
                        "name": "Lunch",
                        "shift_slots": [{"name": "12:00", "possible_guests": [2, 3]}, {"name": "12:30", "possible_guests": []}],
                    }
                ],
            }
        ],
        at("12:00"),
    ),
    "states that end in their word": (
        {
            "availabilityItems": [
                {"status": "SLOT_STATUS_AVAILABLE", "startDateTime": {"dateTime": f"{DAY}T09:00:00"}},
                {"status": "SLOT_STATUS_NOT_AVAILABLE", "startDateTime": {"dateTime": f"{DAY}T10:00:00"}},
                {"status": "SLOT_STATUS_OUT_OF_OFFICE", "startDateTime": {"dateTime": f"{DAY}T11:00:00"}},
            ]
        },
        at("09:00"),
    ),
    "milliseconds below the name of a link": (
        {"linkAvailability": {"byDuration": {"1800000": {"availabilities": [{"startMillisUtc": 1796119200000}]}}}},
        at("10:00"),
    ),
    "taken by the class of a slot": (
        {"slots": [{"start": f"{DAY} 09:00:00"}, {"start": f"{DAY} 09:30:00", "className": "s-eq-checkout"}]},
        at("09:00"),
    ),
    "days with an inventory": (
        {
            "scheduled": [
                {"date": DAY, "inventory": {"reservation": "available", "event": "not available"}},
                {"date": NEXT, "inventory": {"reservation": "sold-out", "event": "available"}},
            ]
        },
        at("00:00"),
    ),
    "slots to book and slots to ask for": (
        {"availability": {DAY: [{"times": [{"time": "17:00", "type": "book"}, {"time": "17:15", "type": "request"}]}]}},
        at("17:00"),
    ),
    "departures with seats left": (
        {
            "departures": [
                {"departureTime": f"{DAY}T07:25:00", "arrivalTime": f"{DAY}T12:40:00", "seatsAvailable": 14},
                {"departureTime": f"{DAY}T17:30:00", "arrivalTime": f"{DAY}T22:40:00", "seatsAvailable": 0},
            ]
        },
        at("07:25"),
    ),
    "a day and a time under names that nobody knows": (
        {
            "beschikbareTijden": [
                {"dag": DAY, "tijdstip": "09:20", "vrij": True},
                {"dag": DAY, "tijdstip": "09:40", "vrij": False},
            ]
        },
        at("09:20"),
    ),
    "a state that is an object": (
        {
            "sessions": [
                {"sessionStart": f"{DAY} 10:00", "stock": {"remaining": 12, "total": 50}},
                {"sessionStart": f"{DAY} 10:30", "stock": {"remaining": 0, "total": 50}},
                {"sessionStart": f"{DAY} 11:00", "status": {"code": "offsale"}},
                {"sessionStart": f"{DAY} 11:30", "ticketStatus": "SOLD_OUT"},
                {"sessionStart": f"{DAY} 12:00", "hasNormalStock": False},
                {"sessionStart": f"{DAY} 12:30", "waitlist_only": True},
            ]
        },
        at("10:00"),
    ),
    "tours at the same time": (
        [{"productId": one, "startTime": f"{DAY}T10:00:00", "numSeatsAvailable": 4} for one in ("p1", "p2")],
        ["p1 10:00", "p2 10:00"],
    ),
    "a venue that is a number": ([{"venue": 12, "start": f"{DAY}T10:00"}], at("10:00", venue="12")),
    "milliseconds as names": ({"availability": {"1796119200000": 3, "1796122800000": 0}}, at("10:00")),
    "a day in milliseconds": ([{"date": 1796083200000, "startTime": "09:30", "availabilityCount": 8}], at("09:30")),
    "slots with an empty list of their parts": (
        {"availabilities": [{"start_at": f"{DAY}T10:00:00Z", "location_id": "L1", "appointment_segments": []}]},
        at("10:00", venue="L1"),
    ),
    "edges of which there are none": (
        {
            "data": {
                "venues": [
                    {"id": "A", "availability": {"edges": [{"node": {"startsAt": f"{DAY}T10:00:00"}}]}},
                    {"id": "B", "availability": {"edges": []}},
                ]
            }
        },
        at("10:00", venue="A"),
    ),
    "no edges at all": ({"data": {"venues": [{"id": "A", "availability": {"edges": []}}]}}, []),
    "departures and arrivals that are objects": (
        {"itineraries": [{"departure": {"date": f"{DAY}T08:00:00"}, "arrival": {"date": f"{DAY}T10:00:00"}}]},
        at("08:00"),
    ),
    "places left in words": (
        {
            "classes": [
                {"when": f"{DAY} {hour}:00", "spots": left} for hour, left in ((18, "2 left"), (19, "Full"), (20, "0 left"))
            ]
        },
        at("18:00"),
    ),
    "marks for states": ({"days": [{"day": "20261201", "stock": "○"}, {"day": "20261202", "stock": "×"}]}, at("00:00")),
    "days without separators, the month first": (
        {"slotDays": [{"slotDate": "12012026", "slots": []}, {"slotDate": "12202026", "slots": [{"startTime": "6:20"}]}]},
        at("2026-12-20T06:20"),
    ),
    "a slot that is free and has an empty list of promotions": (
        {
            "TimeSlots": [
                {"TimeSlot": "12:00:00", "HasStandardAvailability": True, "AvailablePromotions": []},
                {"TimeSlot": "12:15:00", "HasStandardAvailability": False, "AvailablePromotions": []},
            ]
        },
        at("12:00"),
    ),
    "parts of a park by their ids": (
        {
            "payload": {
                "permit_id": "9",
                "availability": {
                    "61": {"division_id": "61", "date_availability": {f"{DAY}T00:00:00Z": {"total": 30, "remaining": 4}}},
                    "62": {"division_id": "62", "date_availability": {f"{DAY}T00:00:00Z": {"total": 30, "remaining": 1}}},
                },
            }
        },
        [*at("00:00", venue="61"), *at("00:00", venue="62")],
    ),
    "flags of days beside rules with dates": (
        {
            "payload": {
                "bools": {DAY: True, NEXT: False},
                "rules": [{"name": "MaxGroup", "start_date": "2026-05-01T00:00:00Z", "value": 12}],
            }
        },
        at("00:00"),
    ),
    "tours with counts by type and windows of sale": (
        [
            {
                "tour_date": DAY,
                "tour_time": time,
                "inventory_count": {"ANY": 160},
                "reservation_count": {"ANY": taken},
                "booking_windows": {"PRIMARY": {"open_timestamp": "2026-10-01T14:00:00Z"}},
            }
            for time, taken in (("06:00", 160), ("07:00", 151))
        ],
        at("07:00"),
    ),
    "uses that remain": (
        {
            "items": [
                {"data": {"startDate": f"{DAY}T{hour}:00:00Z", "remainingUses": left}} for hour, left in (("10", 1), ("11", 0))
            ]
        },
        at("10:00"),
    ),
    "types of slots that are states": (
        [
            {"from_datetime": f"{DAY}T13:15:00", "slot_type": "available"},
            {"from_datetime": f"{DAY}T15:00:00", "slot_type": "busy"},
        ],
        at("13:15"),
    ),
    "seconds of the day, and the time as text": (
        {"days": [{"date": DAY, "timeslots": [{"time": 36000, "formattedTime": "10:00"}]}]},
        at("10:00"),
    ),
    "hours when nobody works": (
        [
            {"startDate": f"{DAY}T17:00:00Z", "status": "AVAILABLE"},
            {"startDate": f"{DAY}T03:00:00Z", "status": "NON_WORKING_HOURS"},
        ],
        at("17:00"),
    ),
    "windows to book": (
        {
            "booking_windows": [
                {"start_time": f"{DAY}T14:00:00Z", "available": True},
                {"start_time": f"{DAY}T16:00:00Z", "available": False},
            ]
        },
        at("14:00"),
    ),
    "beds in a hut": ([{"hutId": 604, "date": f"{DAY}T00:00:00Z", "freeBeds": 3}], at("00:00", venue="604")),
    "parts of a day under a date of another name": (
        {
            "data": [
                {
                    "doctorId": "d1",
                    "schedules": [
                        {"scheduleDate": DAY, "period": "AM", "leftNum": 0, "status": "full"},
                        {"scheduleDate": NEXT, "period": "AM", "leftNum": 3, "status": "available"},
                    ],
                }
            ]
        },
        at(f"{NEXT}T00:00", venue="d1"),
    ),
    "courts by their numbers": (
        {"date": DAY, "courts": {"1": {"08:00": "free", "09:00": "booked"}, "2": {"08:00": "free", "09:00": "booked"}}},
        [*at("08:00", venue="1"), *at("08:00", venue="2")],
    ),
    "yes and no in Spanish": (
        {
            "citas": [
                {"fecha": "01/12/2026", "horas": [{"hora": "09:30", "disponible": "S"}, {"hora": "10:00", "disponible": "N"}]}
            ]
        },
        at("09:30"),
    ),
    "limits of sign-ups, and places at most": (
        [
            {"start_dt": f"{DAY}T18:00:00Z", "signup_limit": 10, "signup_count": 10},
            {"start_dt": f"{DAY}T19:00:00Z", "signup_limit": 10, "signup_count": 4},
            {"start_dt": f"{DAY}T20:00:00Z", "max_places": 20, "attendees": 20},
        ],
        at("19:00"),
    ),
}
