#!/usr/bin/env python3
"""Verifies an export of Bothy's audit log: audit_verify.py EXPORT [--checkpoint FILE]

A second verifier, written from audit-format.md with the standard library alone. EXPORT is what `bothy audit export`
wrote, `-` for standard input; FILE is a checkpoint that was kept elsewhere. Exit code 1: something is wrong.
"""
import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone

# Ed25519 (RFC 8032): a point is (X, Y, Z, T) with x = X/Z, y = Y/Z, x * y = T/Z.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P


def multiply(scalar, point):
    product = (0, 1, 1, 0)
    for bit in bin(scalar)[2:]:
        product = add(product, product)
        if bit == "1":
            product = add(product, point)
    return product


def same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def point(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("not a point")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def signed(checkpoint):
    """Whether the key that a checkpoint names signed it. Keys and points of small order count for nothing."""
    at = datetime.fromisoformat(checkpoint["at"].replace("Z", "+00:00")) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    statement = {name: checkpoint[name] for name in ("count", "hash", "kid", "position")}
    statement |= {"at": at // timedelta(microseconds=1), "type": "bothy.audit.checkpoint"}
    key, signature = bytes.fromhex(checkpoint["public_key"]), bytes.fromhex(checkpoint["signature"])
    try:
        a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    except ValueError:
        return False
    small = any(same(multiply(8, x), (0, 1, 1, 0)) for x in (a, r))
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + canonical(statement)).digest(), "little") % L
    return s < L and not small and same(multiply(s, BASE), add(r, multiply(k, a)))


def canonical(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def digest(record, position):
    return hashlib.sha256(canonical(record["sealed"] | {"position": position})).hexdigest()


class Log:
    """An export, and how far its chain was followed."""
    def __init__(self, lines):
        lines = [json.loads(line) for line in lines]
        every = lambda kind: (line[kind] for line in lines if kind in line)
        self.head = next(every("head"))
        self.keys = {key["kid"]: key["public_key"] for key in every("key")}
        self.records = [line for line in lines if "sealed" in line]
        self.checkpoints = {checkpoint["position"]: checkpoint for checkpoint in every("checkpoint")}
        self.position, self.hash, self.before, self.anchored = 0, "0" * 64, "0" * 64, 0

    def fault(self, kept=None):
        """The first thing that is wrong: its kind and its position."""
        if kept and (not signed(kept) or self.keys.get(kept["kid"], kept["public_key"]) != kept["public_key"]):
            return "checkpoint", kept["position"]
        if (first := min((record["sealed"]["position"] for record in self.records), default=1)) < 1:
            return "added", first
        for record in self.records:
            if broken := self.follow(record):
                return self.explain(record, broken)
            for one in [c for c in (self.checkpoints.get(self.position), kept) if c and c["position"] == self.position]:
                if not signed(one):
                    return "checkpoint", self.position
                if (one["hash"], one["count"]) != (self.hash, self.position):
                    return "rewritten", self.position
                self.anchored = self.position
        later = min((at for at in self.checkpoints if at > self.position), default=0)
        if later and not signed(self.checkpoints[later]):
            return "checkpoint", later
        if later or (kept and kept["position"] > self.position) or self.head["position"] > self.position:
            return "cut", self.position + 1
        if self.head["position"] < self.position:
            return "added", self.head["position"] + 1
        return None if self.head["hash"] == self.hash else ("rewritten", self.position)

    def follow(self, record):
        """Goes on to the next entry, or says why it does not follow."""
        entry, position = record["sealed"], self.position + 1
        if entry["position"] != position:
            return "gap"
        if digest(record, position) != record["hash"]:
            return "content"
        if entry["previous_hash"] != self.hash:
            return "link"
        self.position, self.hash, self.before = position, record["hash"], self.hash

    def explain(self, record, broken):
        entry, position, sealed_as = record["sealed"], self.position + 1, lambda o, place: digest(o, place) == o["hash"]
        if position > self.head["position"]:
            return "added", position
        if broken == "link":
            after = next((other for other in self.records if other["sealed"]["position"] > position), None)
            named = (after["sealed"]["previous_hash"] if after else self.head["hash"]) == record["hash"]
            return "changed", self.position if named and self.position else position
        others = [other for other in self.records if other is not record or broken == "gap"]
        displaced = any(o["sealed"]["previous_hash"] == self.hash and sealed_as(o, position) for o in others)
        if broken == "gap":
            return "reordered" if displaced else "removed", position
        if entry["previous_hash"] == self.before and sealed_as(record, self.position):
            return "added", self.position
        places = {position - 1, position + 1, position + self.head["position"] - len(self.records)}
        behind = [o["sealed"]["position"] + 1 for o in self.records if o["hash"] == entry["previous_hash"]]
        moved = any(sealed_as(record, place) for place in places.union(behind[:1]) - {position})
        return {(1, 1): "reordered", (1, 0): "added", (0, 1): "removed", (0, 0): "changed"}[displaced, moved], position


def main(arguments):
    kept = json.load(open(arguments[2], encoding="utf-8")) if arguments[1:2] == ["--checkpoint"] else None
    log = Log(sys.stdin if arguments[0] == "-" else open(arguments[0], encoding="utf-8"))
    fault = log.fault(kept)
    print(f"{fault[0]} {fault[1]}" if fault else f"intact {log.position} anchored {log.anchored}")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
