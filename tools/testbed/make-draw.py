#!/usr/bin/env python3
"""Makes evidence packs of the protocol draw-v1: an honest one, and one for each way to cheat that has to be found.

It writes the bytes of docs/draw-v1.md by itself; only the arithmetic of the curves is that of tools/verify-draw.py, whose
vectors test it. Beacon and shop have keys of their own, so that everything can be signed, false claims included.

    python3 tools/testbed/make-draw.py --list
    python3 tools/testbed/make-draw.py FOLDER            every pack, with what must be found in expectations.json
    python3 tools/testbed/make-draw.py FOLDER --only honest --entries 1000000
"""

import argparse
import base64
import contextlib
import functools
import hashlib
import importlib.util
import io
import json
import os
import random
import sys
import uuid
import warnings
import zipfile
from datetime import datetime, timedelta

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("verify_draw", os.path.join(HERE, "..", "verify-draw.py"))
curves = importlib.util.module_from_spec(spec)
spec.loader.exec_module(curves)

HOST, SLUG = "volant.example", "sample-car"
CLOSES = 1_700_100_000
OBJECTIONS, MARGIN, CLAIM, DELAY, PATIENCE, NOTICE = 3600, 7200, 604_800, 86_400, 604_800, 3600
DRAW = CLOSES + OBJECTIONS + MARGIN + 1801
BEACON_SECRET = 0x5EED5EED5EED5EED5EED
NO_POINT = "c0" + "00" * 47


def sha256(data):
    return hashlib.sha256(data).digest()


def stamp(seconds):
    return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def tree(leaves):
    """The root as RFC 9162 defines it: the left part is the greatest power of two below the size."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0])
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return sha256(b"\1" + tree(leaves[:half]) + tree(leaves[half:]))


class Signer:
    """An Ed25519 key made from a word, and its lines under checkpoints."""

    base = curves.ed_table(curves.ED_BASE)

    def __init__(self, word, name=HOST + "/draws", type_=1):
        digest = hashlib.sha512(hashlib.sha256(word.encode()).digest()).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
        self.nonce, self.name, self.type, self.signed = digest[32:], name, bytes([type_]), {}
        self.public = curves.ed_encode(curves.ed_multiply(self.base, self.scalar % curves.ED_L))
        self.id = sha256(name.encode() + b"\n" + self.type + self.public)[:4]

    def key(self):
        return "%s+%s+%s" % (self.name, self.id.hex(), base64.b64encode(self.type + self.public).decode())

    def line(self, text):
        return "\u2014 %s %s\n" % (self.name, base64.b64encode(self.id + self.sign(text)).decode())

    def cosign(self, text, time):
        signature = self.sign(b"cosignature/v1\ntime %d\n" % time + text)
        return "\u2014 %s %s\n" % (self.name, base64.b64encode(self.id + time.to_bytes(8, "big") + signature).decode())

    def sign(self, text):
        if text not in self.signed:
            self.signed[text] = self.make_signature(text)
        return self.signed[text]

    def make_signature(self, text):
        r = int.from_bytes(hashlib.sha512(self.nonce + text).digest(), "little") % curves.ED_L
        first = curves.ed_encode(curves.ed_multiply(self.base, r))
        k = int.from_bytes(hashlib.sha512(first + self.public + text).digest(), "little") % curves.ED_L
        return first + ((r + k * self.scalar) % curves.ED_L).to_bytes(32, "little")


class Beacon:
    """A chain of its own, whose rounds can be signed at any time."""

    genesis, signed = 1_700_000_000, {}

    def __init__(self, secret=BEACON_SECRET, period=3):
        self.secret, self.period = secret, period
        self.chain = sha256(b"a chain for tests %d" % secret).hex()
        self.public = curves.g2_encode(curves.g_multiply(curves.g_decode(curves.BLS_G2), secret)).hex()

    def round_after(self, time):
        return 1 + -(-(time - self.genesis) // self.period)

    def time_of(self, number):
        return self.genesis + (number - 1) * self.period

    def sign(self, number):
        if (self.secret, number) not in self.signed:
            point = curves.hash_to_g1(sha256(number.to_bytes(8, "big")))
            self.signed[self.secret, number] = curves.g1_encode(curves.g_multiply(point, self.secret)).hex()
        return self.signed[self.secret, number]


class Quicknet(Beacon):
    """The public chain: nobody here can sign for it."""

    def __init__(self):
        public = curves.QUICKNET
        self.chain, self.public = public["beacon-chain"], public["beacon-key"]
        self.genesis, self.period = public["beacon-genesis"], public["beacon-period"]


SHOP, STRANGER, WITNESS = Signer("shop"), Signer("stranger"), Signer("witness", "witness.example")
WITNESSES = [Signer("witness %s" % name, name + ".example/witness", 4) for name in ("north", "east", "south")]
RENAMED, OF_A_LOG = Signer("witness north", "other.example", 4), Signer("witness east", "east.example/witness")
POLICY = "# Two of three.\nlog %s\n\n" % SHOP.key()
POLICY += "".join("witness W%d  %s\thttps://w%d.example/\n" % (i, one.key(), i) for i, one in enumerate(WITNESSES))
POLICY += "group some 2 W0 W1 W2\n quorum some \n"
BEACON = Beacon()


def ticket(number):
    """(salt, ticket id) of an entry."""
    seed = sha256(b"ticket %d" % number)
    return sha256(seed), str(uuid.UUID(bytes=seed[:16], version=4))


def commitment(number):
    salt, identity = ticket(number)
    return sha256(b"volant-commitment-v1" + salt + identity.encode()).hex()


def proof_link(number, terms_hash, of=None):
    salt, identity = ticket(of or number)
    code, terms = (base64.urlsafe_b64encode(data).decode().rstrip("=") for data in (salt, bytes.fromhex(terms_hash)))
    return "https://%s/draws/%s#%d.%s.%s.%s" % (HOST, SLUG, number, code, identity, terms)


class Contest:
    """A contest from its terms to its end. Keywords say in what it departs from an honest one."""

    def __init__(self, cheat=None, entries=24, rehearsal=False):
        self.cheat, self.prefix = cheat, "rehearsal-" if rehearsal else ""
        self.leaves, self.notes, self.files, self.entered = [], [], {}, {}
        self.voided, self.winners, self.valid, self.signed_at = {}, [], [], 0
        self.signer = SHOP
        self.policy = self.policy_text()
        self.register, self.register_notes, self.registered, self.register_size = [], [], 0, 0
        self.beacon = Quicknet() if self.is_(*REAL) else BEACON
        self.tickets = max(40, entries + 10)
        self.open(entries)
        if not self.is_("cancelled-while-open", "result-unnamed"):
            self.close()
            if not self.is_("list-without-leaf", "cancelled-unsealed", "cancelled-unsealed-late"):
                self.seal()
                if not self.stop_before_draw():
                    self.draw()
        self.finish()

    def is_(self, *cheats):
        return self.cheat in cheats

    def add(self, kind, *fields):
        self.leaves.append("\t".join([self.prefix + "volant-%s-v1" % kind, SLUG] + [str(f) for f in fields]))
        return len(self.leaves) - 1

    def root(self, size=None):
        return tree([leaf.encode() for leaf in self.leaves[:size]])

    def authority(self):
        """The certificates whose hash is in the terms, or None."""
        begin, end = AUTHORITY.split("\n", 1)[0], AUTHORITY.split("\n")[-2]
        malformed = {
            "authority-without-end": (end + "\n", ""),
            "authority-with-words": (begin, "Root\n" + begin),
            "authority-of-one-line": ("\n", ""),
            "authority-of-no-certificate": (AUTHORITY, "%s\nc3RhbXBlZAo=\n%s\n" % (begin, end)),
            "authority-with-carriage-return": ("\n", "\r\n"),
            "authority-empty": (AUTHORITY, "\n"),
            "authority-of-long-lines": (AUTHORITY.split("\n")[1] + "\n", AUTHORITY.split("\n")[1]),
            "authority-too-large": (AUTHORITY, AUTHORITY * 200),
        }
        of_terms = ("authority-silent", "authority-missing", "authority-changed", "authority-twice", "rehearsal-with-authority")
        if not self.is_(*of_terms, *malformed):
            return None
        old, new = next((change for name, change in malformed.items() if self.is_(name)), ("", ""))
        return AUTHORITY * 2 if self.is_("authority-twice") else AUTHORITY.replace(old, new)

    def policy_text(self):
        """The policy whose hash is in the terms, or None."""
        changes = {
            "policy-asks-nobody": ("quorum some", "quorum none"),
            "policy-malformed": ("group some 2", "group some 02"),
            "policy-of-none": ("W0 W1 W2", "W0 W1 none"),
            "policy-member-twice": ("W0 W1 W2", "W0 W1 W1"),
            "policy-key-twice": (WITNESSES[1].key(), RENAMED.key()),
            "policy-key-of-log": (WITNESSES[1].key(), OF_A_LOG.key()),
            "policy-without-quorum": ("quorum some", "log"),
            "policy-quorum-first": ("witness W0", "quorum some\nwitness W0"),
            "policy-too-long": ("# Two", "#\n" * 200 + "# Two"),
            "policy-with-accents": ("Two of", "Deux témoins de"),
            "policy-not-utf8": ("# Two", "#\udcff\n# Two"),
            "policy-with-carriage-return": ("some \n", "some\r\n"),
            "policy-address-without-scheme": ("https://w1.example/", "w1.example"),
            "policy-key-upper-case": ("+" + WITNESSES[1].id.hex(), "+" + WITNESSES[1].id.hex().upper()),
        }
        if self.is_(*NO_POLICY) or self.prefix and not self.is_("rehearsal-with-policy"):
            return None
        return POLICY.replace(*changes.get(self.cheat, ("", "")))

    def add_to_register(self, time):
        """What the register gets when a checkpoint of the contest is signed."""
        is_, new, leaf = self.is_, self.leaves[self.registered :], self.prefix + "volant-%s-v1"
        is_asked = any(leaf % kind in one for one in new for kind in ("open", "seal", "void", "forfeit", "cancel"))
        if not self.registered and not is_("register-without-terms"):
            hash_ = sha256(b"x").hex() if is_("register-other-terms") else self.terms_hash
            self.register.append("\t".join([leaf % "terms", SLUG, hash_]))
            if is_("register-of-two"):
                self.register.append("\t".join([leaf % "cancel", "former-car", "shop"]))
                self.register.append("\t".join([leaf % "terms", "other-car", hash_]))
                self.register.append("\t".join([leaf % "verifier", "verify-draw.py", hash_]))
            if is_("rehearsal-among-others"):
                self.register.append("\t".join([leaf % "terms", "other-car", hash_]))
            if is_("register-leaf-unknown"):
                self.register.append("\t".join([leaf % "entry", SLUG, "1"]))
        self.register += [one for one in new if any(leaf % kind in one for kind in curves.REPEATED)]
        self.registered = len(self.leaves)
        root = sha256(b"x") if is_("register-root-wrong") and self.registered > 20 else self.root()
        self.register.append("\t".join([leaf % "log", SLUG, str(self.registered), root.hex()]))
        if is_asked:  # what the witnesses confirm; the rest is signed at the end
            self.sign_register(time, new)

    def sign_register(self, time, new=(), signer=None):
        is_, self.register_size = self.is_, len(self.register)
        root = base64.b64encode(tree([one.encode() for one in self.register])).decode()
        folder = "rehearsals" if self.prefix else "draws"
        text = ("%s/%s\n%d\n%s\ntime %s\n" % (HOST, folder, self.register_size, root, stamp(time))).encode()
        stranger = STRANGER if is_("register-of-stranger") and not self.register_notes else None
        lines = (signer or stranger or self.signer).line(text)
        kinds = [one.split("\t")[0] for one in new]
        if self.policy and new and not is_("witnesses-silent") and (not is_("no-witness") or kinds[0][7:11] == "open" or kinds[-1][7:11] == "seal"):
            at = time
            if is_("witnesses-late"):
                at += 90_000
            if is_("winner-voided-unconfirmed") and "volant-void-v1" in kinds or is_("cancelled-unconfirmed") and "volant-cancel-v1" in kinds:
                at += 1
            slow = 61 if is_("witness-slow") else 60 if is_("witness-almost-slow") else 0
            lines += WITNESSES[0].cosign(text, at) + WITNESSES[2].cosign(text, at - slow)
            if is_("cosignature-early"):
                lines += WITNESSES[0].cosign(text, 0)
            if is_("cosignature-false") and "volant-seal-v1" in kinds:
                lines = lines.replace(WITNESSES[2].cosign(text, at), WITNESSES[2].cosign(text + b"x", at))
        self.register_notes.append(text.decode() + "\n" + lines)

    def checkpoint(self, time, signer=None, size=None, witness=False):
        is_tip = size is None and signer is None
        size = len(self.leaves) if size is None else size
        time = self.signed_at = max(time, self.signed_at)
        folder = "rehearsals" if self.prefix else "draws"
        root = base64.b64encode(self.root(size)).decode()
        slug = "other-car" if self.is_("checkpoints-of-other-contest") else SLUG
        text = "%s/%s/%s\n%d\n%s\ntime %s\n" % (HOST, folder, slug, size, root, stamp(time))
        lines = (signer or self.signer).line(text.encode())
        if witness:
            lines += WITNESS.line(text.encode())
        self.notes.append(text + "\n" + lines)
        if is_tip:
            self.add_to_register(time)

    def entry(self, number, kind="paid", mark=None):
        self.entered[number] = (len(self.leaves), kind, mark or commitment(number))
        return self.add("entry", number, kind, self.entered[number][2])

    def void(self, number, reason):
        if number in self.voided or number not in self.entered:
            return None
        self.voided[number] = (len(self.leaves), reason)
        return self.add("void", number, reason)

    def header(self, tag, pairs):
        return "".join([self.prefix + tag + "\n"] + ["%s: %s\n" % pair for pair in pairs])

    def open(self, entries):
        is_, beacon = self.is_, self.beacon
        if is_("infinite-beacon-key"):
            key = "c0" + "00" * 95
        else:
            key = beacon.public
        log_key = (Signer("shop", HOST) if is_("log-key-of-other-name") else self.signer).key()
        if is_("log-key-small-order"):
            public = b"\x01" + bytes(31)
            identity = sha256(HOST.encode() + b"/draws\n\x01" + public)[:4].hex()
            log_key = "%s/draws+%s+%s" % (HOST, identity, base64.b64encode(b"\x01" + public).decode())
        quicknet = curves.QUICKNET["beacon-chain"]
        self.chain = quicknet if is_("chain-under-quicknets-name") else beacon.chain
        self.round = beacon.round_after(DRAW)
        self.terms = [
            ("contest", SLUG), ("host", HOST),
            ("demonstration", "no" if is_("real-on-own-chain", *REAL) else "perhaps" if is_("demonstration-perhaps") else "yes"),
            ("tickets", self.tickets), ("kinds", "paid,postal,demo" if is_("given-away-after-close", "real-with-gifts") else "paid,postal"), ("per-person", 10),
            ("post-reserve", self.tickets + 1 if is_("post-reserve-too-large") else 5), ("price", 500), ("prize-value", 2_500_000), ("closes", stamp(CLOSES)),
            ("objections", OBJECTIONS), ("seal-margin", MARGIN),
            ("draw", stamp(DRAW - 3600 if is_("no-time-for-objections") else DRAW)), ("algorithm", "draw-v1"),
            ("beacon-chain", self.chain), ("beacon-key", key), ("beacon-genesis", beacon.genesis),
            ("beacon-period", beacon.period), ("beacon-scheme", "bls-unchained-g1-rfc9380"),
            ("beacon-round", self.round + (1 if is_("terms-round-wrong") else 0)), ("beacon-patience", PATIENCE),
            ("notice", 0 if is_("notice-zero") else 3599 if is_("notice-short", "real-with-short-notice") else NOTICE),
            ("log-key", log_key), ("witness-policy", sha256(self.policy.encode(errors="surrogateescape")).hex() if self.policy else "none"), ("stamp-authority", sha256(self.authority().encode()).hex() if self.authority() else "none"), ("claim", CLAIM), ("alternate-delay", DELAY), ("alternates-decided", 2 if is_("claimed-and-forfeited") else 1),
            ("void-reasons", "refunded,disputed,under-age,excluded,staff"),
            ("forfeit-reasons", "unclaimed,voided,under-age,excluded,staff"),
            ("question", sha256("Quelle ville ?\nBruxelles\nParis\n".encode()).hex()), ("text-fr", sha256(b"Bon\n").hex()),
            ("text-nl", "none"), ("text-en", "none"),
        ]  # fmt: skip
        terms = self.header("volant-terms-v1", self.terms)
        self.files["terms.txt"] = terms
        self.files["question.txt"] = "Quelle ville ?\nBruxelles\nParis\n"
        self.files["text-fr.txt"] = "Bon\n"
        self.terms_hash = sha256(terms.encode()).hex()
        self.add("open", self.terms_hash)
        self.checkpoint(CLOSES if is_("opened-at-close") else CLOSES - 90_000)
        numbers = [1 + i * 7 % self.tickets for i in range(self.tickets)]
        if self.tickets % 7 == 0:
            numbers = list(range(1, self.tickets + 1))
        self.numbers = numbers
        for i, number in enumerate(numbers[: 0 if is_("no-entries", "no-entries-by-another-list") else entries], 1):
            if is_("entry-backdated", "log-rewritten") and i == 6:
                self.entry(numbers[-1])
            self.entry(number, "postal" if i % 6 == 0 else "paid")
            if entries < 1000 and i % 8 == 0:
                self.checkpoint(CLOSES - 80_000 + i * 600, witness=i == 8 and not is_("no-witness"))
        if is_("entry-doubled"):
            self.add("entry", numbers[0], "paid", commitment(900))
        if is_("log-opened-twice"):
            self.add("open", self.terms_hash)
        if is_("commitment-twice"):
            self.entry(numbers[-1], mark=commitment(numbers[0]))
        if is_("leaf-unknown"):
            self.add("gift", numbers[0])
        if is_("leaf-too-long"):
            self.add("void", numbers[0], "refunded", "x")
        if is_("leaf-of-other-contest"):
            self.leaves.append("volant-void-v1\tother-car\t%d\trefunded" % numbers[0])
        if is_("entry-after-cancellation"):
            self.add("cancel", "shop")
            self.entry(numbers[-1])
        if is_("entry-out-of-range"):
            self.entry(self.tickets + 1)
        if is_("entry-given-away"):
            self.entry(numbers[-1], "demo")
        if is_("void-without-entry"):
            self.add("void", numbers[-1], "refunded")
        if is_("void-reason-invented"):
            self.add("void", numbers[0], "unwanted")
        if is_("void-reason-not-in-terms"):
            self.void(numbers[0], "postal-rule")
        if is_("entry-number-zero"):
            self.entry(0)
        if is_("beacon-replaced"):
            other = Beacon(77, 5)
            fields = other.chain, other.public, other.genesis, other.period, "bls-unchained-g1-rfc9380"
            self.add("beacon", *fields, other.round_after(DRAW))
        if is_("cancelled-while-open"):
            self.add("cancel", "shop")
        self.void(numbers[2], "refunded")

    def close(self):
        is_ = self.is_
        self.add("close", stamp(CLOSES + (900 if is_("close-instant-changed") else 0)), 2)
        self.checkpoint(CLOSES - 600 if is_("closed-early") else CLOSES + (61 if is_("closed-late") else 5))
        if is_("given-away-after-close"):
            self.entry(self.numbers[-1], "demo")
        if is_("closed-twice"):
            self.add("close", stamp(CLOSES), 2)
        late = self.numbers[-9:-2]
        if not is_("no-entries", "no-entries-by-another-list"):
            self.entry(late[0])
            self.entry(late[1], "postal")
        if is_("paid-beyond-pending"):
            self.entry(late[2])
            self.entry(late[3])
        index = len(self.leaves)
        provisional = self.list(index)
        self.files["provisional.txt"] = provisional
        if is_("provisional-leaves-one-out"):
            provisional = self.files["provisional.txt"] = self.list(index, without=late[0])
        self.add("list", sha256(provisional.encode()).hex())
        if is_("listed-twice"):
            self.add("list", sha256(provisional.encode()).hex())
        if is_("checkpoint-time-falls"):
            self.checkpoint(CLOSES + 400)
            self.signed_at = 0
        self.checkpoint(CLOSES + 300 + (1800 if is_("objections-short") else 0))
        self.void(self.numbers[4], "under-age")
        if not is_("no-entries", "no-entries-by-another-list"):
            self.entry(late[4], "postal")
        if is_("nobody-left", "nobody-valid"):
            for number in self.numbers[3 if is_("nobody-left") else 0 :]:
                self.void(number, "refunded")
        if is_("nobody-left"):
            self.entry(self.numbers[-1], "postal")

    def rows(self, size, without=None, hidden=None, changed=None, extra=None):
        rows = []
        for number in sorted(set(self.entered) | ({extra} if extra else set())):
            index, kind, mark = self.entered.get(number, (0, "paid", commitment(number)))
            if index >= size or number == without:
                continue
            void = self.voided.get(number)
            status = "void:" + void[1] if void and void[0] < size and number != hidden else "valid"
            if number == changed:
                mark = commitment(901)
            rows.append((number, kind, mark, status))
        return rows

    def list(self, size, named=None, **changes):
        rows = self.rows(size, **changes)
        if not changes.get("unsorted"):
            self.valid_now = [row for row in rows if row[3] == "valid"]
        pairs = [
            ("contest", SLUG), ("terms", self.terms_hash), ("log-size", size if named is None else named),
            ("log-root", self.root(size if named is None else named).hex()),
            ("paid", sum(row[1] == "paid" for row in rows)), ("postal", sum(row[1] == "postal" for row in rows)),
            ("demo", sum(row[1] == "demo" for row in rows)), ("valid", sum(row[3] == "valid" for row in rows)),
            ("chain", self.chain), ("round", self.round), ("algorithm", "draw-v1"),
        ]  # fmt: skip
        self.list_rows = ["%d\t%s\t%s\t%s" % row for row in rows]
        return self.header("volant-list-v1", pairs) + "\n" + "".join(row + "\n" for row in self.list_rows)

    def seal(self):
        is_, index, changes = self.is_, len(self.leaves), {}
        some = self.numbers[9]
        if is_("list-leaves-one-out"):
            changes["without"] = some
        if is_("list-void-hidden"):
            changes["hidden"] = self.numbers[4]
        if is_("list-commitment-changed"):
            changes["changed"] = some
        if is_("list-not-from-log"):
            changes["extra"] = self.numbers[-1]
        if is_("list-void-invented"):
            self.voided[some] = (0, "staff")
        if is_("entry-between-list-and-seal"):
            self.entry(self.numbers[-4], "postal")
        sealed = self.list(index, **changes)
        if is_("list-unsorted"):
            sealed = sealed.replace(self.list_rows[0] + "\n" + self.list_rows[1], self.list_rows[1] + "\n" + self.list_rows[0])
            self.list_rows[0], self.list_rows[1] = self.list_rows[1], self.list_rows[0]
            self.valid_now[0], self.valid_now[1] = self.valid_now[1], self.valid_now[0]
        self.valid, self.list_hash = self.valid_now, sha256(sealed.encode())
        self.files["list.txt"] = sealed
        root = tree([row.encode() for row in self.list_rows])
        named = sha256(b"another list") if is_("list-not-the-sealed", "no-entries-by-another-list") else self.list_hash
        if is_("sealed-without-list"):
            self.leaves = [leaf for leaf in self.leaves if "-list-v1" not in leaf]
        valid = [row.encode() for row in self.list_rows if row.endswith("valid")]
        valid_root = root if is_("valid-root-of-all") else tree(valid)
        root = sha256(b"another root") if is_("list-root-wrong") else root
        self.add("seal", named.hex(), root.hex(), len(valid) + is_("valid-miscounted"), valid_root.hex())
        self.checkpoint(DRAW + 1 if is_("sealed-late") else DRAW - 60 if is_("sealed-after-margin") else DRAW - MARGIN - 60)
        if is_("entry-after-seal"):
            self.entry(self.numbers[-1])

    def stop_before_draw(self):
        """Cancellations and other ends without a result."""
        is_ = self.is_
        latest = self.beacon.time_of(self.round) - NOTICE
        if is_("cancelled-after-draw-instant"):
            self.add("cancel", "shop")
            self.checkpoint(DRAW + 30)
        elif is_("cancelled-after-seal", "cancelled-within-notice", "cancelled-unconfirmed"):
            self.add("cancel", "shop")
            self.checkpoint(latest + is_("cancelled-within-notice"))
            self.void(self.numbers[7], "refunded")
            self.checkpoint(latest + 60)
        elif is_("silence-too-soon", "silence", "real-silence"):
            self.add("cancel", "beacon-silent")
            self.checkpoint(self.beacon.time_of(self.round) + PATIENCE + (-3600 if is_("silence-too-soon") else 10))
        elif is_("no-entries-though-there-are", "no-entries", "nobody-valid", "no-entries-by-another-list"):
            self.add("cancel", "no-entries")
            self.checkpoint(DRAW + 30)
        elif is_("result-withheld"):
            self.checkpoint(DRAW + 90_000)
        elif not is_("before-draw", "forfeiture-unnamed", *REAL):
            return False
        return True

    def chosen(self, attempt, signature, remaining):
        tag = b"volant-draw-v1"
        if attempt and not self.is_("alternate-wrong-tag"):
            tag = b"volant-alternate-v1-%d-" % attempt
        if attempt == 2 and self.is_("alternate-tag-of-attempt-1"):
            tag = b"volant-alternate-v1-1-"
        randomness = sha256(bytes.fromhex(signature))
        list_hash = b"" if self.is_("draw-without-list-hash") else self.list_hash
        i = 1 if self.is_("value-skipped") else 0
        value = sha256(tag + randomness + list_hash + i.to_bytes(8, "big"))
        return randomness, i + 1, value, int.from_bytes(value, "big") % len(remaining)

    def result(self, attempt, round_):
        is_ = self.is_
        signed = round_ + 1 if is_("neighbours-signature", "neighbours-round") else round_
        signature = self.beacon.sign(signed)
        if is_("signature-other-key"):
            signature = Beacon(99).sign(round_)
        if is_("signature-infinite"):
            signature = NO_POINT
        if is_("signature-second-encoding"):
            signature = "%02x" % (int(signature[:2], 16) ^ 0x20) + signature[2:]
        taken = [] if is_("former-winner-stays") else self.winners
        remaining = [row for row in self.valid if row[0] not in taken]
        if is_("voided-after-seal-left-out"):
            remaining = [row for row in remaining if row[0] not in self.voided]
        randomness, tries, value, index = self.chosen(attempt, signature, remaining)
        if is_("winner-next-row"):
            index = (index + 1) % len(remaining)
        row = remaining[index]
        self.winners.append(row[0])
        told = sha256(b"x") if is_("beacon-randomness-wrong") else randomness
        named = signed if is_("neighbours-round") else round_
        beacon = '{"round":%d,"randomness":"%s","signature":"%s"}\n' % (named, told.hex(), signature)
        self.files["beacon-%d.json" % attempt] = beacon
        kind = "postal" if is_("winner-kind-wrong") and row[1] == "paid" else row[1]
        pairs = [
            ("contest", SLUG), ("attempt", attempt), ("list", self.list_hash.hex()), ("chain", self.chain), ("round", round_),
            ("signature", signature), ("randomness", randomness.hex()), ("remaining", len(remaining)), ("tries", tries),
            ("value", value.hex()), ("index", index), ("number", row[0]), ("kind", kind), ("commitment", row[2]),
        ]  # fmt: skip
        text = self.header("volant-result-v1", pairs)
        self.files["result-%d.txt" % attempt] = text
        hash_ = sha256(b"another result") if is_("result-hash-wrong") else sha256(text.encode())
        self.add("result", attempt, hash_.hex())
        return row[0]

    def claim(self, attempt):
        self.add("claim", attempt, sha256(b"claim %d" % attempt).hex())

    def forfeit(self, attempt, number, reason, published, statement=None, shift=0):
        is_ = self.is_
        round_ = self.beacon.round_after(published + DELAY) + shift
        if attempt == 0 and is_("forfeiture-of-another"):
            number = next(row[0] for row in self.valid if row[0] != number)
        size = len(self.leaves)
        named = size - 1 if attempt == 0 and is_("forfeiture-log-size") else size
        pairs = [
            ("contest", SLUG), ("attempt", attempt), ("number", number), ("reason", reason),
            ("statement", sha256(statement.encode()).hex() if statement else "none"), ("log-size", named),
            ("log-root", self.root(named).hex()), ("published", stamp(published)), ("chain", self.chain), ("round", round_),
        ]  # fmt: skip
        if statement:
            self.files["statement-%d.txt" % attempt] = statement + ("!" if is_("statement-changed") else "")
        text = self.header("volant-forfeiture-v1", pairs)
        self.files["forfeiture-%d.txt" % attempt] = text
        hash_ = sha256(b"another forfeiture") if attempt == 0 and is_("forfeiture-hash-wrong") else sha256(text.encode())
        self.add("forfeit", attempt, hash_.hex())
        return round_

    def draw(self):
        is_, beacon = self.is_, self.beacon
        bystander = self.numbers[7]
        self.void(bystander, "disputed")
        winner = self.result(0, self.round)
        latest = beacon.time_of(self.round) - NOTICE
        if is_(*VOIDED):
            self.leaves.pop()
            self.winners.pop()
            self.void(winner, "refunded")
            if not is_("winner-voided-with-result"):
                self.checkpoint(latest + is_("winner-voided-within-notice", "winner-voided-within-notice-by-shop"))
            self.result(0, self.round)
        if is_("winner-voided-and-dated-back"):
            self.void(winner, "refunded")
        if is_("result-before-seal"):
            self.leaves[-1], self.leaves[-3] = self.leaves[-3], self.leaves[-1]
        time = beacon.time_of(self.round) + (-1 if is_("result-backdated", "winner-voided-and-dated-back") else 3601 if is_("result-late") else 5)
        self.checkpoint(time)
        if is_("cancelled-after-result", "silence-after-result"):
            self.add("cancel", "shop" if is_("cancelled-after-result") else "beacon-silent")
            self.checkpoint(time + 60)
            return
        if is_("award-unclaimed"):
            self.add("award", 0, winner)
            self.checkpoint(time + 60)
            return
        if is_("award-to-another"):
            self.claim(0)
            self.add("award", 0, next(row[0] for row in self.valid if row[0] != winner))
            self.checkpoint(time + 60)
            return
        if is_("award-of-no-attempt"):
            self.add("award", 1, winner)
            self.checkpoint(time + 60)
            return
        if is_("award-then-forfeiture"):
            self.claim(0)
            self.add("award", 0, winner)
        published = time + CLAIM + (-3600 if is_("unclaimed-too-soon") else 10)
        if is_("claim-of-next"):
            self.claim(1)
        if is_("claimed-and-forfeited", "claimed-and-decided", "claimed-and-too-soon"):
            self.claim(0)
            self.checkpoint(time + CLAIM)
            published += CLAIM - (11 if is_("claimed-and-too-soon") else 0)
        shift = -1000 if is_("forfeiture-round-too-early") else 5 if is_("forfeiture-round-too-late") else 0
        reason = "unclaimed"
        if is_("winner-voided-at-will"):
            self.void(winner, "refunded")
            self.checkpoint(published - 60)
            reason = "voided"
        if is_("forfeit-voided-without-void", "winner-voided-and-dated-back", *VOIDED):
            reason = "voided"
        if is_("forfeit-reason-not-in-terms"):
            reason = "postal-rule"
        round_ = self.forfeit(0, winner, reason, published, shift=shift)
        if is_("claim-after-forfeiture"):
            self.claim(0)
        seen = 5
        if is_("forfeiture-backdated"):
            seen = DELAY + 60
        if is_("forfeiture-in-future"):
            seen = -30
        self.checkpoint(published + seen)
        if is_("silence-of-alternate"):
            self.add("cancel", "beacon-silent")
            self.checkpoint(beacon.time_of(round_) + PATIENCE)
            return
        winner = self.result(1, round_)
        time = beacon.time_of(round_) + 5
        self.checkpoint(time)
        self.claim(1)
        self.checkpoint(time + 500)
        published = time + 1000
        round_ = self.forfeit(1, winner, "excluded", published, "La personne est exclue par le règlement.\n")
        self.checkpoint(published + 5)
        winner = self.result(2, round_)
        time = beacon.time_of(round_) + 5
        if is_("one-more-decided"):
            round_ = self.forfeit(2, winner, "staff", time + 1000, "Membre du personnel.\n")
            self.checkpoint(time + 1005)
            winner = self.result(3, round_)
            time = beacon.time_of(round_) + 5
        self.checkpoint(time)
        if is_("nobody-left"):
            self.forfeit(2, winner, "unclaimed", time + CLAIM)
            self.checkpoint(time + CLAIM + 7)
            self.add("cancel", "no-entries")
            self.checkpoint(time + CLAIM + 60)
            return
        if is_("claim-unregistered"):
            self.claim(2)
            self.checkpoint(time + 100_000)
            return
        self.claim(len(self.winners) - 1)
        self.claim(len(self.winners) - 1)
        self.add("award", len(self.winners) - 1, winner)
        if is_("claim-after-award"):
            self.claim(len(self.winners) - 1)
        self.checkpoint(time + 100_000)

    def finish(self):
        is_ = self.is_
        files = self.files
        files["README.txt"] = "volant-evidence-v1\nRésultats du tirage\n"
        if self.prefix and not is_("rehearsal-mixed"):
            files["README.txt"] = "rehearsal-" + files["README.txt"]
        if is_("readme-other-version"):
            files["README.txt"] = "volant-evidence-v2\n"
        if is_("entry-backdated"):
            self.notes[1:3] = Contest().notes[1:3]
        if is_("checkpoints-swapped"):
            self.notes[2], self.notes[3] = self.notes[3], self.notes[2]
        if is_("checkpoint-of-stranger"):
            self.notes.pop(3)
            size = 20
            saved, self.notes = self.notes, []
            self.signed_at = 0
            self.checkpoint(CLOSES - 70_000, signer=STRANGER, size=size)
            saved.insert(3, self.notes[0])
            self.notes = saved
        if is_("checkpoint-time-changed"):
            year = self.notes[-1].index("time ") + 5
            self.notes[-1] = self.notes[-1][:year] + "3" + self.notes[-1][year + 1 :]
        if is_("tail-unsigned"):
            self.notes.pop()
        if is_("leaf-changed-under-checkpoints"):
            self.leaves[5] = self.leaves[5].replace("paid", "postal")
        if is_("leaf-removed"):
            del self.leaves[6]
        if is_("terms-changed"):
            files["terms.txt"] = files["terms.txt"].replace("prize-value: 2500000", "prize-value: 1500000")
        if is_("terms-line-missing"):
            files["terms.txt"] = files["terms.txt"].replace("per-person: 10\n", "")
        if is_("question-changed"):
            files["question.txt"] = files["question.txt"].replace("Paris", "Lyon")
        if is_("result-file-missing"):
            del files["result-1.txt"]
        if is_("statement-unnamed"):
            files["statement-0.txt"] = "x\n"
        if is_("result-too-many"):
            files["result-3.txt"] = files["result-2.txt"]
        if is_("beacon-too-many"):
            files["beacon-3.json"] = files["beacon-2.json"]
        if is_("forfeiture-too-many"):
            files["forfeiture-2.txt"] = files["forfeiture-1.txt"]
        if is_("statement-too-many"):
            files["statement-2.txt"] = files["statement-1.txt"]
        if is_("file-unknown"):
            files["notes.txt"] = "x\n"
        if is_("cancelled-unsealed", "cancelled-unsealed-late"):
            self.add("cancel", "shop")
            self.checkpoint(DRAW + is_("cancelled-unsealed-late"))
        if is_("cancelled-while-open", "result-unnamed"):
            self.checkpoint(CLOSES - 1000)
        if is_("result-unnamed"):
            files["result-0.txt"] = files["terms.txt"]
        if is_("forfeiture-unnamed"):
            files["forfeiture-0.txt"] = files["terms.txt"]
        if is_("list-without-leaf"):
            files["list.txt"] = files["provisional.txt"]
            self.checkpoint(CLOSES + 900)
        self.finish_register()
        files["log.txt"] = "".join(leaf + "\n" for leaf in self.leaves)
        files["checkpoints.txt"] = "\n".join(self.notes)
        self.kept = self.keep()
        self.bytes = {name: text.encode(errors="surrogateescape") for name, text in files.items()}
        self.harm()

    def finish_register(self):
        is_, files, register = self.is_, self.files, self.register
        if self.policy:
            files["policy.txt"] = self.policy
        if self.authority():
            files["authority.pem"] = self.authority()
        if is_("authority-missing"):
            del files["authority.pem"]
        if is_("authority-changed"):
            files["authority.pem"] = AUTHORITY * 2
        if is_("authority-unnamed"):
            files["authority.pem"] = AUTHORITY
        if is_("stamp-unnamed"):
            files["seal.tsr"] = "stamped\n"
        if is_("policy-missing"):
            del files["policy.txt"]
        if is_("policy-changed"):
            files["policy.txt"] = self.policy.replace("some 2", "some 1")
        if is_("policy-unnamed"):
            files["policy.txt"] = POLICY
        if is_("register-terms-twice"):
            register.append(register[0])
        if is_("register-size-falls"):
            register.append(next(leaf for leaf in register if "volant-log-v1" in leaf))
        if is_("register-beyond"):
            register.append(register[-1].replace("\t%d\t" % len(self.leaves), "\t%d\t" % (len(self.leaves) + 1)))
        if is_("register-behind", "claim-unregistered"):
            register.pop()
        if is_("register-leaf-left-out"):
            register[:] = [leaf for leaf in register if "volant-seal-v1" not in leaf]
        if is_("register-leaf-early"):
            at = next(at for at, leaf in enumerate(register) if "volant-result-v1" in leaf)
            register.insert(at - 2, register.pop(at))
        if is_("register-leaf-twice"):
            register.append(next(leaf for leaf in register if "volant-result-v1" in leaf))
        if is_("register-size-zero"):
            register.append(register[-1].replace("\t%d\t" % len(self.leaves), "\t0\t"))
        if is_("register-leaf-left-out", "register-leaf-early"):
            self.register_notes = []
        if len(register) != self.register_size:
            self.sign_register(self.signed_at)
        if is_("register-time-falls"):
            self.sign_register(self.signed_at - 1)
        if is_("register-unsigned"):
            register.append(register[-1])
        if is_("register-rewritten"):
            register[1] = register[1].replace("volant-log-v1\tsample-car", "volant-log-v1\tother-car")
        files["register.txt"] = "".join(leaf + "\n" for leaf in register)
        files["register-checkpoints.txt"] = "\n".join(self.register_notes)
        if is_("register-missing"):
            del files["register.txt"]

    def keep(self):
        """The checkpoint that a reader of this pack kept, or None."""
        tags = [leaf.split("\t")[0] for leaf in self.leaves]
        last, size = self.signed_at, len(self.leaves)
        if self.is_("log-rewritten"):
            return Contest().notes[2]
        if self.is_("kept-fits"):
            return self.notes[2]
        if self.is_("kept-of-register"):
            return self.register_notes[1] + "\n" + self.notes[2]
        if self.is_("register-forked"):
            return Contest("no-policy").register_notes[1]
        if self.is_("register-lost", "older-than-kept-register"):
            self.register.append(self.register[-1])
            self.sign_register(self.signed_at + self.is_("older-than-kept-register"))
            return self.register_notes.pop()
        if self.is_("seal-backdated"):
            self.signed_at, size = DRAW - 9, tags.index("volant-seal-v1")
        elif self.is_("first-with-close-left-out"):
            self.signed_at, size = CLOSES - 9, tags.index("volant-close-v1") + 1
        elif self.is_("leaves-lost", "older-than-kept"):
            self.leaves.append(self.leaves[-1])
            self.signed_at, size = last + (self.is_("older-than-kept") and 60), size + 1
        else:
            return None
        self.checkpoint(0, size=size)
        return self.notes.pop()

    def harm(self):
        """Files that break the conventions of section 1."""
        data = self.bytes
        if self.is_("log-crlf"):
            data["log.txt"] = data["log.txt"].replace(b"\n", b"\r\n")
        if self.is_("log-no-last-line-end"):
            data["log.txt"] = data["log.txt"][:-1]
        if self.is_("terms-byte-order-mark"):
            data["terms.txt"] = b"\xef\xbb\xbf" + data["terms.txt"]
        if self.is_("terms-huge-integer"):
            data["terms.txt"] = data["terms.txt"].replace(b"price: 500", b"price: " + b"9" * 6000)
        if self.is_("terms-zero-period"):
            data["terms.txt"] = data["terms.txt"].replace(b"beacon-period: 3", b"beacon-period: 0")
        if self.is_("terms-impossible-date"):
            data["terms.txt"] = data["terms.txt"].replace(stamp(CLOSES).encode(), b"2023-02-30T00:00:00Z")
        if self.is_("log-not-utf8"):
            data["log.txt"] = data["log.txt"].replace(b"paid", b"pa\xffd", 1)
        if self.is_("log-not-opened"):
            data["log.txt"] = data["log.txt"].split(b"\n", 1)[1]
        if self.is_("terms-extra-line"):
            data["terms.txt"] += b"note: x\n"
        if self.is_("draw-before-genesis"):
            data["terms.txt"] = data["terms.txt"].replace(b"genesis: 17", b"genesis: 18")
        if self.is_("list-of-other-version"):
            data["list.txt"] = data["list.txt"].replace(b"volant-list-v1", b"volant-list-v2")
        if self.is_("checkpoint-witness-broken"):
            data["checkpoints.txt"] = data["checkpoints.txt"].replace(b"witness.example ", b"witness.example  ")
        if self.is_("checkpoint-without-time"):
            data["checkpoints.txt"] = data["checkpoints.txt"].replace(b"time ", b"date ", 1)
        if self.is_("checkpoints-empty"):
            data["checkpoints.txt"] = b"\n"
        if self.is_("beacon-file-with-spaces"):
            data["beacon-1.json"] = data["beacon-1.json"].replace(b",", b", ")
        if self.is_("log-empty"):
            data["log.txt"] = b""
        if self.is_("readme-not-utf8"):
            data["README.txt"] = b"volant-evidence-v1\n\xff\n"
        if self.is_("result-huge-attempt"):
            data["log.txt"] = data["log.txt"].replace(b"result-v1\tsample-car\t0", b"result-v1\tsample-car\t" + b"9" * 5000)
        if self.is_("checkpoint-broken-base64"):
            line = "\u2014 volant.example/draws ".encode()
            data["checkpoints.txt"] = data["checkpoints.txt"].replace(line, line + b"A", 1)
        if self.is_("log-terminal-escape"):
            data["log.txt"] = data["log.txt"].replace(b"paid", b"p\x1b[2Jd", 1)

    def archive(self):
        """The evidence pack; some cheats are in the archive itself."""
        buffer = io.BytesIO()
        folder = "other-car" if self.is_("zip-other-folder") else SLUG
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, data in self.bytes.items():
                archive.writestr("%s/%s" % (folder, name), data)
            if self.is_("zip-two-folders"):
                archive.writestr("other-car/list.txt", b"x")
            if self.is_("zip-rare-compression"):
                archive.writestr("%s/text-nl.txt" % SLUG, b"x", zipfile.ZIP_BZIP2)
            if self.is_("zip-path-outside"):
                archive.writestr("%s/../../evil.txt" % SLUG, b"x")
            if self.is_("zip-member-twice"):
                archive.writestr("%s/list.txt" % SLUG, self.bytes["list.txt"])
            if self.is_("zip-bomb"):
                archive.writestr("%s/statement-9.txt" % SLUG, bytes(80 << 20))
                archive.writestr("%s/text-nl.txt" % SLUG, bytes(80 << 20))
        data = buffer.getvalue()
        return data[: len(data) // 2] if self.is_("zip-cut") else data


# The certificate of an authority of time stamps.
AUTHORITY = """\
-----BEGIN CERTIFICATE-----
MIIBYzCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjApMRgwFgYDVQQKDA9Ib3JvZGF0
YWdlIE5vcmQxDTALBgNVBAMMBFJvb3QwHhcNMjAwMTAxMDAwMDAwWhcNNDUwMTAx
MDAwMDAwWjApMRgwFgYDVQQKDA9Ib3JvZGF0YWdlIE5vcmQxDTALBgNVBAMMBFJv
b3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ5wHpAg3+bzarkVmnPZzFCNS8E
QSbOplaU1vE3tiX3xxgHkqU8cly2Wq+tE4EIpSaxvioRdqwJsPN6zNugbwhsoyMw
ITAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNH
ADBEAiB+ecpI+PpCUh15UP2le84Je0cmhHsvLTfKd6AXSYVXKAIgdiwFRXhMI3p7
/2UFxqZR9eUmAlpPBUHVqSU29VRZxKQ=
-----END CERTIFICATE-----
"""

# Contests of a shop in which something can be won, on the public chain.
REAL = ("real", "real-silence", "real-with-gifts", "real-with-short-notice")

# Contests whose terms name no policy.
NO_POLICY = ("no-policy", "policy-unnamed", "winner-voided-before-draw-by-shop", "winner-voided-within-notice-by-shop")

# Contests whose first winner was voided after the seal.
VOIDED = (
    "winner-voided-before-draw",
    "winner-voided-before-draw-by-shop",
    "winner-voided-within-notice",
    "winner-voided-within-notice-by-shop",
    "winner-voided-unconfirmed",
    "winner-voided-with-result",
)

# What must be found: the verdict, or the first step that fails and the code of its first fault.
CHEATS = {
    "honest": "passed",
    "rehearsal": "passed",
    "before-draw": "incomplete",
    "real": "incomplete",
    "real-silence": "cancelled",
    "silence": "cancelled",
    "silence-of-alternate": "cancelled",
    "cancelled-while-open": "cancelled",
    "cancelled-unsealed": "cancelled",
    "cancelled-unsealed-late": "cancelled",
    "cancelled-after-seal": "cancelled",
    "no-entries": "cancelled",
    "nobody-valid": "cancelled",
    "nobody-left": "cancelled",
    "closed-late": "passed",
    "objections-short": "passed",
    "commitment-twice": "passed",
    "notice-short": "passed",
    "result-late": "passed",
    "result-withheld": "incomplete",
    "winner-voided-before-draw": "passed",
    "winner-voided-before-draw-by-shop": "passed",
    "kept-fits": "passed",
    "kept-of-register": "passed",
    "older-than-kept": "passed",
    "older-than-kept-register": "passed",
    "no-policy": "passed",
    "policy-asks-nobody": "passed",
    "authority-silent": "passed",
    "authority-twice": "passed",
    "authority-of-no-certificate": "passed",
    "witnesses-silent": "passed",
    "witnesses-late": "passed",
    "witness-slow": "passed",
    "witness-almost-slow": "passed",
    "register-of-two": "passed",
    "claimed-and-forfeited": "passed",
    "cancelled-unconfirmed": "cancelled",
    "sealed-after-margin": "passed",
    "readme-other-version": ("pack", "first-line"),
    "readme-not-utf8": ("pack", "not-utf8"),
    "file-unknown": ("pack", "file-unknown"),
    "zip-path-outside": ("pack", "zip-path"),
    "zip-member-twice": ("pack", "file-twice"),
    "zip-two-folders": ("pack", "zip-path"),
    "zip-rare-compression": ("pack", "zip-unreadable"),
    "zip-cut": ("pack", "zip-unreadable"),
    "zip-other-folder": ("terms", "zip-folder"),
    "zip-bomb": ("terms", "file-large"),
    "terms-changed": ("terms", "hash"),
    "terms-extra-line": ("terms", "extra-lines"),
    "draw-before-genesis": ("terms", "before-genesis"),
    "post-reserve-too-large": ("terms", "value"),
    "log-key-of-other-name": ("terms", "differs"),
    "terms-line-missing": ("terms", "header"),
    "terms-byte-order-mark": ("terms", "byte-order-mark"),
    "terms-huge-integer": ("terms", "value"),
    "terms-zero-period": ("terms", "value"),
    "terms-impossible-date": ("terms", "value"),
    "terms-round-wrong": ("terms", "differs"),
    "no-time-for-objections": ("terms", "order-of-times"),
    "chain-under-quicknets-name": ("terms", "pinned"),
    "real-on-own-chain": ("terms", "chain-other"),
    "real-with-gifts": ("terms", "kind-demo"),
    "real-with-short-notice": ("terms", "value"),
    "notice-zero": ("terms", "value"),
    "demonstration-perhaps": ("terms", "value"),
    "question-changed": ("terms", "hash"),
    "rehearsal-with-policy": ("terms", "differs"),
    "rehearsal-with-authority": ("terms", "differs"),
    "rehearsal-mixed": ("pack", "first-line"),
    "log-crlf": ("log", "carriage-return"),
    "log-no-last-line-end": ("log", "no-line-end"),
    "log-not-utf8": ("log", "not-utf8"),
    "log-terminal-escape": ("log", "byte"),
    "log-empty": ("log", "no-line-end"),
    "log-not-opened": ("log", "rule-1"),
    "log-opened-twice": ("log", "rule-1"),
    "leaf-unknown": ("log", "leaf-unknown"),
    "leaf-too-long": ("log", "form"),
    "leaf-of-other-contest": ("log", "differs"),
    "entry-after-cancellation": ("log", "rule-8"),
    "given-away-after-close": ("log", "rule-3-kind"),
    "entry-number-zero": ("log", "rule-2-range"),
    "void-reason-not-in-terms": ("log", "rule-2-reason"),
    "beacon-replaced": ("log", "leaf-unknown"),
    "listed-twice": ("log", "rule-4"),
    "award-of-no-attempt": ("log", "rule-7"),
    "closed-twice": ("log", "rule-3"),
    "sealed-without-list": ("log", "rule-4"),
    "entry-doubled": ("log", "rule-2-twice"),
    "entry-out-of-range": ("log", "rule-2-range"),
    "entry-given-away": ("log", "rule-2-kind"),
    "void-without-entry": ("log", "rule-2-void"),
    "void-reason-invented": ("log", "value"),
    "close-instant-changed": ("log", "differs"),
    "paid-beyond-pending": ("log", "rule-3-pending"),
    "entry-after-seal": ("log", "rule-5"),
    "result-before-seal": ("log", "rule-6"),
    "result-huge-attempt": ("log", "value"),
    "award-then-forfeiture": ("log", "rule-7"),
    "award-unclaimed": ("log", "rule-7"),
    "claim-after-award": ("log", "rule-7"),
    "claim-of-next": ("log", "rule-6-claim"),
    "claim-after-forfeiture": ("log", "rule-6-claim"),
    "cancelled-after-result": ("log", "rule-8"),
    "silence-after-result": ("log", "rule-8"),
    "entry-backdated": ("checkpoints", "root"),
    "log-rewritten": ("checkpoints", "root"),
    "seal-backdated": ("checkpoints", "kept-order"),
    "first-with-close-left-out": ("checkpoints", "kept-earlier"),
    "leaves-lost": ("checkpoints", "beyond"),
    "leaf-changed-under-checkpoints": ("checkpoints", "root"),
    "leaf-removed": ("checkpoints", "root"),
    "checkpoints-swapped": ("checkpoints", "size-falls"),
    "checkpoint-time-falls": ("checkpoints", "time-falls"),
    "checkpoint-of-stranger": ("checkpoints", "own-signatures"),
    "checkpoint-time-changed": ("checkpoints", "signature"),
    "checkpoint-broken-base64": ("checkpoints", "value"),
    "checkpoints-of-other-contest": ("checkpoints", "differs"),
    "checkpoint-witness-broken": ("checkpoints", "form"),
    "checkpoint-without-time": ("checkpoints", "header"),
    "checkpoints-empty": ("checkpoints", "differs"),
    "tail-unsigned": ("checkpoints", "uncovered"),
    "log-key-small-order": ("checkpoints", "log-key"),
    "policy-missing": ("register", "file-missing"),
    "policy-changed": ("register", "hash"),
    "policy-unnamed": ("register", "policy-extra"),
    "policy-malformed": ("register", "value"),
    "policy-of-none": ("register", "policy-unknown"),
    "policy-member-twice": ("register", "policy-twice"),
    "policy-key-twice": ("register", "policy-twice"),
    "policy-key-of-log": ("register", "value"),
    "policy-without-quorum": ("register", "policy-quorum"),
    "policy-quorum-first": ("register", "policy-unknown"),
    "policy-too-long": ("register", "policy-lines"),
    "policy-with-accents": ("register", "byte"),
    "policy-with-carriage-return": ("register", "carriage-return"),
    "policy-not-utf8": ("register", "not-utf8"),
    "policy-address-without-scheme": ("register", "value"),
    "policy-key-upper-case": ("register", "value"),
    "register-missing": ("register", "file-missing"),
    "register-without-terms": ("register", "register-1"),
    "register-other-terms": ("register", "register-1"),
    "register-terms-twice": ("register", "register-1"),
    "register-leaf-unknown": ("register", "leaf-unknown"),
    "register-size-zero": ("register", "value"),
    "register-size-falls": ("register", "register-2-size"),
    "register-beyond": ("register", "register-2-size"),
    "register-root-wrong": ("register", "register-2-root"),
    "register-behind": ("register", "register-2-last"),
    "claim-unregistered": ("register", "register-2-last"),
    "register-leaf-left-out": ("register", "register-3"),
    "register-leaf-early": ("register", "register-3"),
    "register-leaf-twice": ("register", "register-3"),
    "rehearsal-among-others": ("register", "differs"),
    "register-of-stranger": ("register", "own-signatures"),
    "register-time-falls": ("register", "time-falls"),
    "register-unsigned": ("register", "uncovered"),
    "register-rewritten": ("register", "root"),
    "register-forked": ("register", "root"),
    "register-lost": ("register", "beyond"),
    "cosignature-false": ("register", "cosignature"),
    "cosignature-early": ("register", "cosignature"),
    "authority-missing": ("stamps", "file-missing"),
    "authority-changed": ("stamps", "hash"),
    "authority-unnamed": ("stamps", "stamp-extra"),
    "authority-without-end": ("stamps", "certificate"),
    "authority-with-words": ("stamps", "certificate"),
    "authority-of-one-line": ("stamps", "no-line-end"),
    "authority-with-carriage-return": ("stamps", "carriage-return"),
    "authority-empty": ("stamps", "certificate"),
    "authority-of-long-lines": ("stamps", "certificate"),
    "authority-too-large": ("stamps", "file-large"),
    "stamp-unnamed": ("stamps", "stamp-extra"),
    "provisional-leaves-one-out": ("list", "row"),
    "list-leaves-one-out": ("list", "row"),
    "list-not-from-log": ("list", "row"),
    "list-void-hidden": ("list", "row"),
    "list-void-invented": ("list", "row"),
    "list-commitment-changed": ("list", "row"),
    "list-of-other-version": ("list", "hash"),
    "list-without-leaf": ("list", "file-early"),
    "list-unsorted": ("list", "row"),
    "list-not-the-sealed": ("list", "hash"),
    "list-root-wrong": ("list", "list-root"),
    "valid-miscounted": ("list", "valid"),
    "valid-root-of-all": ("list", "valid-root"),
    "entry-between-list-and-seal": ("list", "row"),
    "no-entries-by-another-list": ("list", "hash"),
    "opened-at-close": ("seal", "opened-late"),
    "closed-early": ("seal", "closed-early"),
    "sealed-late": ("seal", "sealed-late"),
    "infinite-beacon-key": ("beacon", "beacon-key"),
    "neighbours-signature": ("beacon", "beacon-signature"),
    "neighbours-round": ("beacon", "differs"),
    "signature-other-key": ("beacon", "beacon-signature"),
    "signature-infinite": ("beacon", "beacon-signature"),
    "signature-second-encoding": ("beacon", "beacon-signature"),
    "beacon-file-with-spaces": ("beacon", "form"),
    "beacon-randomness-wrong": ("beacon", "differs"),
    "beacon-too-many": ("beacon", "file-early"),
    "result-backdated": ("winner", "result-early"),
    "winner-voided-and-dated-back": ("winner", "result-early"),
    "result-hash-wrong": ("winner", "hash"),
    "result-file-missing": ("winner", "file-missing"),
    "result-unnamed": ("winner", "file-early"),
    "result-too-many": ("winner", "file-early"),
    "value-skipped": ("winner", "differs"),
    "winner-next-row": ("winner", "differs"),
    "winner-kind-wrong": ("winner", "differs"),
    "draw-without-list-hash": ("winner", "differs"),
    "alternate-wrong-tag": ("winner", "differs"),
    "alternate-tag-of-attempt-1": ("winner", "differs"),
    "former-winner-stays": ("winner", "differs"),
    "voided-after-seal-left-out": ("winner", "differs"),
    "forfeiture-of-another": ("forfeitures", "differs"),
    "forfeiture-log-size": ("forfeitures", "differs"),
    "forfeiture-round-too-early": ("forfeitures", "differs"),
    "forfeiture-round-too-late": ("forfeitures", "differs"),
    "forfeiture-backdated": ("forfeitures", "forfeit-round"),
    "forfeiture-in-future": ("forfeitures", "forfeit-future"),
    "forfeit-reason-not-in-terms": ("forfeitures", "forfeit-reason"),
    "forfeit-voided-without-void": ("forfeitures", "not-voided"),
    "unclaimed-too-soon": ("forfeitures", "unclaimed-early"),
    "claimed-and-too-soon": ("forfeitures", "unclaimed-early"),
    "claimed-and-decided": ("forfeitures", "too-many-decided"),
    "winner-voided-at-will": ("forfeitures", "too-many-decided"),
    "winner-voided-within-notice": ("forfeitures", "too-many-decided"),
    "winner-voided-within-notice-by-shop": ("forfeitures", "too-many-decided"),
    "winner-voided-unconfirmed": ("forfeitures", "too-many-decided"),
    "winner-voided-with-result": ("forfeitures", "too-many-decided"),
    "forfeiture-unnamed": ("forfeitures", "file-early"),
    "forfeiture-too-many": ("forfeitures", "file-early"),
    "statement-too-many": ("forfeitures", "file-early"),
    "one-more-decided": ("forfeitures", "too-many-decided"),
    "forfeiture-hash-wrong": ("forfeitures", "hash"),
    "statement-unnamed": ("forfeitures", "statement-extra"),
    "statement-changed": ("forfeitures", "hash"),
    "award-to-another": ("end", "differs"),
    "cancelled-after-draw-instant": ("end", "cancel-known"),
    "cancelled-within-notice": ("end", "cancel-known"),
    "silence-too-soon": ("end", "cancel-impatient"),
    "no-entries-though-there-are": ("end", "cancel-rows"),
}


def make(name, entries=24):
    return Contest(name, entries, rehearsal=name.startswith("rehearsal"))


def remember_curves():
    """Many packs hold the same signatures: each is computed once."""
    curves.beacon_verify = functools.lru_cache(None)(curves.beacon_verify)
    curves.Ed25519Key.verify = functools.lru_cache(None)(curves.Ed25519Key.verify)
    curves.Ed25519Key = functools.lru_cache(None)(curves.Ed25519Key)


def check(folder):
    """What the verifier answers to every pack of a folder, and says in each language."""
    remember_curves()
    answers = {}
    for name in CHEATS:
        kept = os.path.join(folder, name + ".kept.txt")
        verification = curves.verify([os.path.join(folder, name + ".zip")], [kept] if os.path.exists(kept) else [])
        answers[name] = dict(verification.as_json("en"), said={})
        for language in curves.LANGUAGES:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                verification.print(language)
            answers[name]["said"][language] = said.getvalue()
    return answers


def harm_at_random(folder, rounds, seed):
    """Changes an honest pack at random places; answers what was changed although nothing failed, and as many witnesses vouch.
    The README is prose, and lines of a witness whose key nobody gave are ignored: both are left in peace."""
    remember_curves()
    random_, honest, unseen = random.Random(seed), make("no-witness").bytes, []
    target = os.path.join(folder, "harmed")
    os.makedirs(target, exist_ok=True)
    for name, data in honest.items():
        write(os.path.join(target, name), data)
    for _ in range(rounds):
        name = random_.choice(sorted(set(honest) - {"README.txt"}))
        data = bytearray(honest[name])
        at, way = random_.randrange(len(data)), random_.randrange(4)
        if way == 0:
            data[at] ^= 1 << random_.randrange(8)
        elif way == 1:
            data[at] = random_.randrange(256)
        elif way == 2:
            del data[at : at + random_.randrange(1, 40)]
        else:
            data[at:at] = data[random_.randrange(len(data)) :][: random_.randrange(1, 60)]
        if data == honest[name]:
            continue
        write(os.path.join(target, name), data)
        found = curves.verify([target])
        if found.verdict() != "failed" and found.voucher()[1].get("count") == 2:
            unseen.append({"file": name, "at": at, "way": way})
        write(os.path.join(target, name), honest[name])
    return unseen


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def main():
    parser = argparse.ArgumentParser(description="Makes evidence packs, honest ones and false ones.")
    parser.add_argument("folder", nargs="?", help="where the packs go")
    parser.add_argument("--list", action="store_true", help="print the names of the packs")
    parser.add_argument("--only", action="append", help="make this one only")
    parser.add_argument("--folders", action="store_true", help="write each pack as a folder, too, where it is not the archive that cheats")
    parser.add_argument("--entries", type=int, default=24, help="how many numbers are sold before the close")
    parser.add_argument("--check", action="store_true", help="verify every pack of the folder and print the answers as JSON")
    parser.add_argument("--harm", type=int, metavar="TIMES", help="change an honest pack at random and print what stays unseen")
    parser.add_argument("--seed", type=int, default=1, help="what the random changes depend on")
    options = parser.parse_args()
    if options.check or options.harm:
        found = check(options.folder) if options.check else harm_at_random(options.folder, options.harm, options.seed)
        print(json.dumps(found))
        return
    if options.list or not options.folder:
        for name, found in CHEATS.items():
            print("%-32s %s" % (name, found if isinstance(found, str) else " ".join(found)))
        return
    os.makedirs(options.folder, exist_ok=True)
    honest = make("honest") if not options.only else None
    for name in options.only or CHEATS:
        contest = honest if honest and name == "honest" else make(name, options.entries)
        write(os.path.join(options.folder, name + ".zip"), contest.archive())
        if contest.kept:
            write(os.path.join(options.folder, name + ".kept.txt"), contest.kept.encode())
        if options.folders and not name.startswith("zip-"):
            os.makedirs(os.path.join(options.folder, name), exist_ok=True)
            for file, data in contest.bytes.items():
                write(os.path.join(options.folder, name, file), data)
    if honest:
        first, second = honest.winners[:2]
        link = functools.partial(proof_link, terms_hash=honest.terms_hash)
        loser = next(row[0] for row in honest.valid if row[0] not in honest.winners)
        about = {
            "packs": {
                name: None if isinstance(found, str) else {"step": found[0], "code": found[1]} for name, found in CHEATS.items()
            },
            "verdicts": {name: found if isinstance(found, str) else "failed" for name, found in CHEATS.items()},
            "winners": honest.winners,
            "links": {
                "last": link(honest.winners[-1]), "first": link(first), "loser": link(loser),
                "other": link(first, of=second), "absent": link(honest.numbers[-1]),
                "terms": proof_link(first, honest.list_hash.hex()),
            },
            "loserLine": honest.entered[loser][0] + 1,
            "termsHash": honest.terms_hash,
            "listHash": honest.list_hash.hex(),
        }  # fmt: skip
        write(os.path.join(options.folder, "expectations.json"), json.dumps(about, indent=2).encode())


if __name__ == "__main__":
    main()
