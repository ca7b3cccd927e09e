#!/usr/bin/env python3
"""Reckons tokens and cost of all transcripts below a configuration directory, independently of
atm: other language, other structure, exact fractions, its own copy of the price list. Prints JSON.

usage: reckon.py CONFIG_DIR
"""
import json
import os
import sys
from fractions import Fraction

# US dollars for a million tokens: input, output, cache write 5m, cache write 1h, cache read.
PRICES = {
    "claude-opus-5-5": ("4", "20", "5", "8", "0.20"),
    "claude-sonnet-5-5": ("2", "10", "2.50", "4", "0.20"),
}
HAIKU = (("0.10", "0.50", "0.125", "0.20", "0.01"), ("0.50", "2.50", "0.625", "1.00", "0.05"))
KINDS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


def counts(usage):
    tiers = usage.get("cache_creation")
    if tiers is None:
        five, hour = usage.get("cache_creation_input_tokens", 0), 0
    else:
        five = tiers.get("ephemeral_5m_input_tokens", 0)
        hour = tiers.get("ephemeral_1h_input_tokens", 0)
    searches = (usage.get("server_tool_use") or {}).get("web_search_requests", 0)
    return [usage.get("input_tokens", 0), usage.get("output_tokens", 0), five, hour,
            usage.get("cache_read_input_tokens", 0), searches]


def answers(config):
    """Every answer once: by message and request, with the largest counts of all its copies."""
    found = {}
    for folder, _, names in os.walk(os.path.join(config, "projects")):
        for name in sorted(names):
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        continue
                    try:
                        record = json.loads(line.decode("utf-8", "replace"))
                    except ValueError:
                        continue
                    message = record.get("message") if isinstance(record, dict) else None
                    if not isinstance(message, dict) or record.get("type") != "assistant":
                        continue
                    if "usage" not in message or message["model"].startswith("<"):
                        continue
                    key = (message["id"], record.get("requestId"))
                    new = counts(message["usage"])
                    model, day, old = found.get(key, (message["model"], record["timestamp"], new))
                    most = [max(pair) for pair in zip(old, new)]
                    found[key] = (model, min(day, record["timestamp"]), most)
    return found.values()


def cost(model, number):
    prices = PRICES.get(model)
    if model == "claude-haiku-5-5":
        prices = HAIKU[number[0] + number[2] + number[3] + number[4] > 100_000]
    if prices is None:
        return None
    tokens = sum(Fraction(price) * count for price, count in zip(prices, number))
    return tokens / 1_000_000 + Fraction(number[5], 100)


def main():
    sums = {"model": {}, "day": {}, "total": {}}
    for model, at, number in answers(sys.argv[1]):
        price = cost(model, number)
        for by, key in (("model", model), ("day", at[:10]), ("total", "total")):
            row = sums[by].setdefault(key, {"cost": Fraction(0), "unpriced": 0, "answers": 0,
                                            "searches": 0, **{kind: 0 for kind in KINDS}})
            row["cost"] += price or 0
            row["unpriced"] += price is None
            row["answers"] += 1
            row["searches"] += number[5]
            for kind, count in zip(KINDS, number):
                row[kind] += count
    for rows in sums.values():
        for row in rows.values():
            row["cost"] = float(row["cost"])
    json.dump(sums, sys.stdout)


main()
