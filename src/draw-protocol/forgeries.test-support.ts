/**
 * What a forger can show who has the shop's key, its database and its code, and no witness: sixteen ways, each with what
 * somebody sees of it. For the test of both verifiers.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { toBytes, toHex } from './bytes.ts'
import type { LeafResponse } from './check.ts'
import { commitmentOf } from './commitments.ts'
import {
  POLICY,
  TERMS,
  TestDraw,
  type Witnessed,
  fragmentOf,
  honestly,
  leafResponse,
  secretOf,
} from './draw.test-support.ts'
import type { Kind } from './formats.ts'
import type { Terms } from './terms.ts'

const { closes: CLOSES, draw: DRAW, claim: CLAIM, alternateDelay: DELAY, notice: NOTICE } = TERMS
const OPENED = CLOSES - 90_000
const SEALED = DRAW - TERMS.sealMargin - 60
/** When the shop may still void and cancel. */
const IN_TIME = DRAW - NOTICE - 10
const RESULT = DRAW + 10
const CLAIMED = RESULT + 500
const FORFEITED = RESULT + CLAIM

/** What differs from the honest draw. */
interface Changes {
  terms?: Partial<Terms>
  /** A commitment in the place of that of the holder. */
  salt?: { number: number; salt: number }
  leftOut?: number
  /** A further entry: before the close, or between list and seal. */
  added?: { number: number; salt: number; at: 'sale' | 'objections' }
  voided?: number
}

/** A contest up to its list. */
function listed(witnessed: Witnessed, { terms, salt, leftOut, added }: Changes = {}): TestDraw {
  const draw = new TestDraw(terms, witnessed).checkpoint(OPENED)
  for (const number of [7, 31, 2, 50, 18, 44, 9]) if (number !== leftOut) draw.entry(number)
  draw.checkpoint(CLOSES - 3600)
  for (const number of [3, 40])
    if (number === salt?.number) enter(draw, number, salt.salt)
    else if (number !== leftOut) draw.entry(number)
  if (added?.at === 'sale') enter(draw, added.number, added.salt)
  draw.close().checkpoint(CLOSES + 2)
  return draw.list('list').checkpoint(CLOSES + 300)
}

/** An entry whose salt the forger has chosen. */
function enter(draw: TestDraw, number: number, salt: number, kind: Kind = 'paid'): void {
  const { ticketId } = secretOf(number)
  const secret = { salt: sha256(toBytes(`volant test: forged salt ${salt}`)), ticketId }
  const commitment = toHex(commitmentOf(secret, sha256))
  draw.rows.push({ number, kind, commitment, voided: null })
  draw.add({ type: 'entry', number, kind, commitment })
}

function sealed(witnessed: Witnessed, changes: Changes = {}): TestDraw {
  const { added, voided } = changes
  const draw = listed(witnessed, changes)
  if (added?.at === 'objections') enter(draw, added.number, added.salt, 'postal')
  if (voided !== undefined) draw.void(voided)
  return draw.list('seal').checkpoint(SEALED)
}

const winnerOf = (draw: TestDraw): number => draw.result().results.at(-1)!.number

/** Tries salts or instants until the friend wins. */
function until(friend: number, make: (at: number) => TestDraw): TestDraw {
  for (let at = 0; ; at += 1) if (winnerOf(make(at)) === friend) return make(at).result()
}

/** The witnesses have signed what was shown until a time, and sign nothing that contradicts it. */
const unseen =
  (from: number): Witnessed['sign'] =>
  (name, checkpoint) =>
    checkpoint.time >= from ? null : honestly(name, checkpoint)

interface Made {
  /** The files that the forger shows. */
  pack: ReadonlyMap<string, Uint8Array>
  /** Behind `#` in the link of the ticket that wins the honest draw. */
  ticket: string
  /** The last checkpoint that the honest draw had shown by then. */
  kept: string
  /** What the calls of a shop say of that ticket; null for an entry that is not there. */
  leaf: LeafResponse | null
}

export interface Forgery {
  what: string
  /** @param isWitnessed whether the terms ask for a quorum of witnesses */
  make: (isWitnessed: boolean) => Made
  /** What a reader sees who kept nothing, where the terms ask for witnesses: the step that fails, or voucher and remarks. */
  quorum: string[]
  /** What the holder of that ticket sees who kept nothing else, where the terms ask for nobody; with what became of it. */
  ticket: string[]
  /** What the page of the ticket says, which reads neither log nor list, if it is not the same; null for nothing. */
  page?: string | null
  /** The step that fails for whoever kept that checkpoint; null for none. */
  kept: string | null
}

/** The parts of a forgery, with the same witnesses. */
interface Forger {
  /** The draw as it was until the forger began. */
  honest: TestDraw
  /** Who wins it. */
  winner: number
  /** Who shall win. */
  friend: number
  /** What the witnesses sign of a history that is forged from a time on. */
  signed: (from: number) => Witnessed
}

function forged(
  make: (forger: Forger) => TestDraw,
  {
    terms,
    go = (draw) => draw.checkpoint(DRAW - 60),
  }: { terms?: Partial<Terms>; go?: (draw: TestDraw) => TestDraw } = {},
): Forgery['make'] {
  return (isWitnessed) => {
    const witnesses: Witnessed = isWitnessed ? { policy: POLICY } : {}
    const honest = go(sealed(witnesses, { terms }))
    const winner = winnerOf(sealed(witnesses, { terms }))
    const signed = (from: number): Witnessed => ({ ...witnesses, sign: unseen(from) })
    const draw = make({ honest, winner, friend: winner === 3 ? 40 : 3, signed })
    const isThere = draw.rows.some(({ number }) => number === winner)
    return {
      pack: draw.pack(),
      ticket: fragmentOf(honest, winner),
      kept: honest.notes.at(-1)!,
      leaf: isThere ? leafResponse(draw, winner) : null,
    }
  }
}

const drawn = (draw: TestDraw): TestDraw => draw.checkpoint(RESULT)
const SEALED_LATE = ['shop', 'seal-unconfirmed']
const ALL_LATE = ['shop', 'terms-unconfirmed', 'seal-unconfirmed']

export const FORGERIES: readonly Forgery[] = [
  {
    what: 'the salt of a friend’s ticket, changed until it wins',
    make: forged(({ friend, signed }) =>
      drawn(until(friend, (salt) => sealed(signed(CLOSES + 2), { salt: { number: friend, salt } }))),
    ),
    quorum: SEALED_LATE,
    ticket: ['lost', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'a wholly new history under a new key',
    make: forged(({ signed }) =>
      drawn(sealed({ ...signed(0), secret: sha256(toBytes('a new key')) }).result()),
    ),
    quorum: ALL_LATE,
    ticket: ['otherTerms', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'other terms, dated back',
    make: forged(({ signed }) =>
      drawn(sealed(signed(0), { terms: { alternatesDecided: 3, prizeValue: 100 } }).result()),
    ),
    quorum: ALL_LATE,
    ticket: ['otherTerms', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'the winner’s entry voided before the seal',
    make: forged(({ winner, signed }) => drawn(sealed(signed(SEALED), { voided: winner }).result())),
    quorum: SEALED_LATE,
    ticket: ['out', 'refunded', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'an entry added for a friend',
    make: forged(({ signed }) =>
      drawn(until(5, (salt) => sealed(signed(CLOSES + 2), { added: { number: 5, salt, at: 'sale' } }))),
    ),
    quorum: SEALED_LATE,
    ticket: ['lost', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'the winner’s entry left out',
    make: forged(({ winner, signed }) => drawn(sealed(signed(CLOSES - 3600), { leftOut: winner }).result())),
    quorum: SEALED_LATE,
    ticket: ['absent', 'shop'],
    page: null,
    kept: 'checkpoints',
  },
  {
    what: 'a void of the winner once the randomness is known, dated back',
    make: forged(
      ({ winner, signed }) =>
        drawn(
          sealed(signed(IN_TIME), { terms: { alternatesDecided: 0 } })
            .void(winner)
            .checkpoint(IN_TIME)
            .result(),
        )
          .forfeit('voided', DRAW + 20)
          .checkpoint(DRAW + 20),
      { terms: { alternatesDecided: 0 } },
    ),
    quorum: ['forfeitures'],
    ticket: ['forfeited', 'refunded', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'a cancellation once the randomness is known, dated back',
    make: forged(({ signed }) =>
      sealed(signed(IN_TIME)).add({ type: 'cancel', reason: 'shop' }).checkpoint(IN_TIME),
    ),
    quorum: ['witnesses', 'cancelled-after-seal', 'cancelled-unconfirmed'],
    ticket: ['cancelled', 'shop', 'cancelled-after-seal'],
    kept: 'checkpoints',
  },
  {
    what: 'a cancellation once the randomness is known, in a log whose seal was taken out',
    make: forged(({ signed }) =>
      listed(signed(SEALED)).add({ type: 'cancel', reason: 'shop' }).checkpoint(SEALED),
    ),
    quorum: ['witnesses', 'cancelled-unconfirmed'],
    ticket: ['cancelled', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'another history for one visitor, in which a card that came by post wins',
    make: forged(({ signed }) =>
      drawn(until(5, (salt) => sealed(signed(SEALED), { added: { number: 5, salt, at: 'objections' } }))),
    ),
    quorum: [...SEALED_LATE, 'entries-after-list'],
    ticket: ['lost', 'shop', 'entries-after-list'],
    kept: 'checkpoints',
  },
  {
    what: 'a beacon of the shop’s own in a draw with a prize',
    make: forged(({ signed }) => drawn(sealed(signed(0), { terms: { demonstration: false } }).result())),
    quorum: ['terms'],
    ticket: ['terms'],
    page: 'otherTerms',
    kept: 'terms',
  },
  {
    what: 'a result that is withheld',
    make: forged(({ signed }) => sealed(signed(Infinity)).checkpoint(DRAW + 7200)),
    quorum: ['witnesses', 'result-overdue'],
    ticket: ['undrawn', 'shop', 'result-overdue'],
    kept: null,
  },
  {
    what: 'an entry after the close, without a payment under way',
    make: forged(({ signed }) => {
      const draw = listed(signed(CLOSES + 400))
      enter(draw, 5, 0)
      return drawn(draw.list('seal').checkpoint(SEALED).result())
    }),
    quorum: ['log'],
    ticket: ['log'],
    page: 'lost',
    kept: 'log',
  },
  {
    what: 'a prize that the winner claimed, as unclaimed',
    make: forged(
      ({ signed }) =>
        drawn(sealed(signed(CLAIMED)).result())
          .forfeit('unclaimed', FORFEITED)
          .checkpoint(FORFEITED),
      { go: (draw) => drawn(draw.result()).claim().checkpoint(CLAIMED) },
    ),
    quorum: ['witnesses', 'forfeit-unconfirmed'],
    ticket: ['forfeited', 'shop'],
    kept: 'checkpoints',
  },
  {
    what: 'a result of somebody else',
    make: forged(({ winner, friend, signed }) => {
      const draw = sealed(signed(Infinity))
      const row = draw.rows.find(({ number }) => number === friend)!
      if (friend === winner) throw new Error('the friend has won')
      return drawn(draw.result(undefined, { number: row.number, commitment: row.commitment }))
    }),
    quorum: ['winner'],
    ticket: ['winner'],
    page: 'unproven',
    kept: 'winner',
  },
  {
    what: 'a forfeiture dated back until the friend is the alternate',
    make: forged(
      ({ friend, signed }) => {
        const made = (at: number): TestDraw =>
          drawn(sealed(signed(FORFEITED)).result())
            .forfeit('unclaimed', FORFEITED + 3 * at)
            .checkpoint(FORFEITED + 3 * at)
        return until(friend, made).checkpoint(FORFEITED + DELAY + 3600)
      },
      // A day later there is no forfeiture yet, and the winner may still claim.
      { go: (draw) => drawn(draw.result()).checkpoint(FORFEITED + DELAY) },
    ),
    quorum: ['witnesses', 'forfeit-unconfirmed'],
    ticket: ['forfeited', 'shop'],
    kept: 'checkpoints',
  },
]
