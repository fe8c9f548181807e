/** Draws that cheat, for the tests of both verifiers. */
import {
  LIVE,
  POLICY,
  type Signing,
  TERMS,
  TestDraw,
  WITNESSES,
  type Witnessed,
  honestly,
  policyOf,
  sealedDraw,
  wholeDraw,
} from './draw.test-support.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { toBytes, toHex } from './bytes.ts'
import { leafText } from './leaves.ts'
import { logLeaf, termsLeaf, verifierLeaf } from './register.ts'
import { type AuthorityOptions, TIME_STAMPING, authorityOf } from './stamps.test-support.ts'
import type { Terms } from './terms.ts'
import type { RemarkCode, Voucher } from './verify.ts'

type Pack = Map<string, Uint8Array>
type ListChanges = [change?: Parameters<TestDraw['list']>[1], sealed?: Parameters<TestDraw['list']>[2]]

const { closes: CLOSES, draw: DRAW, claim: CLAIM, alternateDelay: DELAY, notice: NOTICE } = TERMS
const NEXT = DRAW + 10 + CLAIM
const edited = (pack: Pack, file: string, edit: (text: string) => string): Pack => {
  const text = new TextDecoder().decode(pack.get(file))
  const changed = edit(text)
  if (changed === text) throw new Error(`nothing changed in ${file}`)
  return new Map(pack).set(file, new TextEncoder().encode(changed))
}
export const without = (draw: TestDraw, file: string): Pack => {
  const pack = draw.pack()
  if (!pack.delete(file)) throw new Error(`there is no ${file}`)
  return pack
}
/** Who wins the sealed draw in which the shop may decide no forfeiture, and a number that wins neither. */
export const STRICT_WINNER = sealedDraw({ alternatesDecided: 0 }).result().results[0]!.number
export const LOSER = 44

const { contest: CONTEST } = TERMS
const NO_HASH = '00'.repeat(32)
const WITNESSED = { policy: POLICY }
const SEALED = DRAW - TERMS.sealMargin - 60
/** When the shop may still void and cancel, and the witnesses have time to see it. */
const IN_TIME = DRAW - NOTICE - 10
/** Signs the register again in the place of its last checkpoint. */
const resigned = (draw: TestDraw, time: number): Pack => {
  draw.registerNotes.pop()
  return draw.signRegister(time).pack()
}
/** What the witnesses sign when those checkpoints come to them only at a time. */
const heldBack =
  (isHeld: (time: number) => boolean, until: number): Signing =>
  (name, checkpoint) => {
    const honest = honestly(name, checkpoint)
    return honest === null || !isHeld(checkpoint.time) ? honest : honest - checkpoint.time + until
  }
/** The sealed draw of the same terms, with the void of its first winner in time. */
const voidedInTime = (sign: Signing): TestDraw => {
  const strict = (): TestDraw => sealedDraw({ alternatesDecided: 0 }, { policy: POLICY, sign })
  return strict()
    .void(strict().result().results[0]!.number)
    .checkpoint(IN_TIME)
    .result()
    .checkpoint(DRAW + 10)
    .forfeit('voided', DRAW + 20)
    .checkpoint(DRAW + 20)
}
/** The sealed draw, cancelled by the shop in time. */
const cancelledInTime = (sign: Signing): TestDraw =>
  sealedDraw({}, { policy: POLICY, sign }).add({ type: 'cancel', reason: 'shop' }).checkpoint(IN_TIME)

type Cheat = [what: string, files: () => Pack, faults: string[]]

const drawn = (): TestDraw =>
  sealedDraw()
    .result()
    .checkpoint(DRAW + 10)
/** The sealed draw with an attempt after the forfeiture of its first winner. */
const drawnAgain = (draw = drawn()): TestDraw =>
  draw
    .forfeit('staff', DRAW + 20)
    .checkpoint(DRAW + 20)
    .result()
    .checkpoint(DRAW + DELAY + 30)
/** The winner claims, and forfeits all the same. */
const claimedInVain = (published: number, changes: Partial<Terms> = {}): Pack =>
  sealedDraw(changes)
    .result()
    .checkpoint(DRAW + 10)
    .claim()
    .checkpoint(DRAW + 60)
    .forfeit('unclaimed', published)
    .checkpoint(published)
    .pack()
/** The greatest duration of a file. */
const ENDLESS = Number.MAX_SAFE_INTEGER
const TWICE = DRAW + 10 + 2 * CLAIM

/** Draws that break the rules of claims, or those of the rows that are drawn from. */
export const CLAIM_CHEATS: Cheat[] = [
  [
    'a seal that says that more rows are valid than are',
    () => sealedWith(undefined, { valid: 3 }),
    ['list: valid-count in log.txt:8'],
  ],
  [
    'a seal with other valid rows than those of its list',
    () => sealedWith(undefined, { validRoot: NO_HASH }),
    ['list: valid-root in log.txt:8'],
  ],
  [
    'a seal whose valid rows are all rows',
    () => {
      const draw = sealedOf(new TestDraw().entry(7).entry(LOSER).entry(9))
      return sealedWith(undefined, { validRoot: draw.leaves.at(-1)!.split('\t').at(-1)! })
    },
    ['list: valid-root in log.txt:8'],
  ],
  [
    'a claim before there is a winner',
    () =>
      sealedDraw()
        .add({ type: 'claim', attempt: 0, hash: NO_HASH })
        .checkpoint(DRAW - 7000)
        .pack(),
    ['log: order in log.txt:19'],
  ],
  [
    'a claim of a winner who has forfeited',
    () =>
      drawn()
        .forfeit('staff', DRAW + 20)
        .claim()
        .checkpoint(DRAW + 20)
        .pack(),
    ['log: order in log.txt:21'],
  ],
  [
    'a claim of the winner before the last one',
    () =>
      drawnAgain()
        .add({ type: 'claim', attempt: 0, hash: NO_HASH })
        .checkpoint(DRAW + DELAY + 40)
        .pack(),
    ['log: attempt in log.txt:22'],
  ],
  [
    'a claim after the prize was given',
    () =>
      drawn()
        .claim()
        .award()
        .claim()
        .checkpoint(DRAW + 60)
        .pack(),
    ['log: after-end in log.txt:22'],
  ],
  [
    'a prize for a winner who has not claimed it',
    () =>
      drawn()
        .award()
        .checkpoint(DRAW + 60)
        .pack(),
    ['log: claim-missing in log.txt:20'],
  ],
  [
    'a prize for the claim of somebody who has forfeited',
    () =>
      drawnAgain(drawn().claim())
        .award()
        .checkpoint(DRAW + DELAY + 40)
        .pack(),
    ['log: claim-missing in log.txt:23'],
  ],
  [
    'a winner who has claimed, and forfeits like one who has not',
    () => claimedInVain(NEXT),
    ['forfeitures: unclaimed-early in forfeiture-0.txt:9'],
  ],
  [
    'a winner who has claimed, and forfeits before twice the time for it',
    () => claimedInVain(TWICE - 1),
    ['forfeitures: unclaimed-early in forfeiture-0.txt:9'],
  ],
  [
    'more winners sent away with their claims than the terms allow',
    () => {
      const published = DRAW + DELAY + 30 + 2 * CLAIM
      return drawnAgain().claim().forfeit('unclaimed', published).checkpoint(published).pack()
    },
    ['forfeitures: decided-limit in forfeiture-1.txt:5'],
  ],
]

const STAMPED = { authority: {} }
const STAMPS = { name: 'Horodatage Nord', opened: CLOSES - 3590, sealed: SEALED + 10 }
/** A whole draw with stamps, and with those of other times. */
const stampedAt = (times: { terms?: number; seal?: number }): Pack => {
  const draw = wholeDraw({}, STAMPED)
  if (times.terms !== undefined) draw.stamp('terms.tsr', times.terms)
  if (times.seal !== undefined) draw.stamp('seal.tsr', times.seal)
  return draw.pack()
}
/** The time stamps of a draw whose authority cheats. */
const stampedBy = (authority: AuthorityOptions): Pack => sealedDraw({}, { authority }).pack()
const withFile = (pack: Pack, name: string, bytes: Uint8Array): Pack => new Map(pack).set(name, bytes)
/** A stamp with its last byte changed, which is one of the signature. */
const spoiled = (pack: Pack, name: string): Pack => {
  const bytes = pack.get(name)!.slice()
  bytes[bytes.length - 1]! ^= 1
  return withFile(pack, name, bytes)
}
const AUTHORITY = authorityOf()

/** Time stamps that are false. */
export const STAMP_CHEATS: Cheat[] = [
  [
    'a stamp of other terms',
    () =>
      sealedDraw({}, STAMPED)
        .stamp('terms.tsr', CLOSES - 3590, NO_HASH)
        .pack(),
    ['stamps: stamp-other in terms.tsr:0'],
  ],
  [
    'a stamp of another list',
    () => sealedDraw({}, STAMPED).stamp('seal.tsr', SEALED, NO_HASH).pack(),
    ['stamps: stamp-other in seal.tsr:0'],
  ],
  [
    'the stamp of the terms for that of the list',
    () => {
      const pack = sealedDraw({}, STAMPED).pack()
      return withFile(pack, 'seal.tsr', pack.get('terms.tsr')!)
    },
    ['stamps: stamp-other in seal.tsr:0'],
  ],
  [
    'a stamp of a foreign authority under the same name',
    () =>
      withFile(
        sealedDraw({}, STAMPED).pack(),
        'seal.tsr',
        authorityOf({ name: 'Horodatage Sud' }).stamp(sealedDraw({}, STAMPED).listHash, SEALED),
      ),
    ['stamps: stamp-foreign in seal.tsr:0'],
  ],
  [
    'a stamp with a changed signature',
    () => spoiled(sealedDraw({}, STAMPED).pack(), 'terms.tsr'),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'a stamp that is no stamp',
    () => withFile(sealedDraw({}, STAMPED).pack(), 'terms.tsr', toBytes('stamped\n')),
    ['stamps: stamp-form in terms.tsr:0'],
  ],
  [
    'an answer of the authority that it gives no stamp',
    () => stampedBy({ status: 2 }),
    ['stamps: stamp-form in terms.tsr:0'],
  ],
  [
    'stamps of an authority whose certificate has expired',
    () => stampedBy({ until: CLOSES - 4000 }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps of a certificate that is not one for time stamps',
    () => stampedBy({ purposes: ['1.3.6.1.5.5.7.3.1'] }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps of a certificate for time stamps and more',
    () => stampedBy({ purposes: [TIME_STAMPING, '1.3.6.1.5.5.7.3.1'] }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps whose certificate says their purpose in passing',
    () => stampedBy({ isCritical: false }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps that name another certificate',
    () => stampedBy({ names: 'other' }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps of a key on a curve that is not allowed',
    () => stampedBy({ curve: 'secp256k1' }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps of a key for other things than signatures, too',
    () => stampedBy({ keyUsage: 0xa0 }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps whose certificate has a critical extension that nobody knows',
    () => stampedBy({ isStrange: true }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps over an issuer that the root does not allow',
    () => stampedBy({ between: 'forbidden' }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps signed under another hash than that of their content',
    () => stampedBy({ signedHash: 'SHA-384' }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'stamps with the name of another authority',
    () => stampedBy({ tsa: 'Horodatage Sud' }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  ...(
    [
      'own by SHA-1 in the second attribute',
      'other in the first attribute',
      'own and a stranger',
      'own with another serial number',
    ] as const
  ).map((names): Cheat => [
    `stamps that name certificates: ${names}`,
    () => stampedBy({ names }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ]),
  [
    'stamps of 1969',
    () => stampedBy({ writeTime: () => '19691231235959Z' }),
    ['stamps: stamp-form in terms.tsr:0'],
  ],
  [
    'stamps without the certificate of their signer',
    () => stampedBy({ hasCertificate: false }),
    ['stamps: stamp-foreign in terms.tsr:0'],
  ],
  [
    'an authority that is not that of the terms',
    () =>
      withFile(sealedDraw({}, STAMPED).pack(), 'authority.pem', authorityOf({ name: 'Horodatage Sud' }).file),
    ['stamps: text-hash in authority.pem:0'],
  ],
  [
    'an authority without its certificates',
    () => without(sealedDraw({}, STAMPED), 'authority.pem'),
    ['stamps: missing-file in authority.pem:0'],
  ],
  [
    'certificates that cannot be read',
    () => {
      const file = toBytes('Root\n')
      const draw = new TestDraw({ stampAuthority: toHex(sha256(file)) }).checkpoint(1)
      return withFile(draw.pack(), 'authority.pem', file)
    },
    ['stamps: certificate in authority.pem:1'],
  ],
  [
    'a stamp of a list that is not sealed',
    () => withFile(halfDraw(STAMPED).pack(), 'seal.tsr', AUTHORITY.stamp(NO_HASH, CLOSES + 1)),
    ['stamps: unknown-file in seal.tsr:0'],
  ],
  ...['authority.pem', 'terms.tsr', 'seal.tsr'].map((name): Cheat => [
    `${name} under terms that name no authority`,
    () => withFile(sealedDraw().pack(), name, sealedDraw({}, STAMPED).pack().get(name)!),
    [`stamps: unknown-file in ${name}:0`],
  ]),
]

/** Draws with something false in them, and the first faults that a verifier must name. */
export const CHEATS: Cheat[] = [
  ...CLAIM_CHEATS,
  ...STAMP_CHEATS,
  [
    'an entry that is added to the past',
    () =>
      edited(wholeDraw().pack(), 'log.txt', (log) =>
        log.replace(
          /(.*\t44\t.*\n)/,
          `$1${leafText({ type: 'entry', number: 45, kind: 'paid', commitment: '00'.repeat(32) }, TERMS)}\n`,
        ),
      ),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:4'],
  ],
  [
    'an entry that is left out',
    () => edited(wholeDraw().pack(), 'log.txt', (log) => log.replace(/.*\t44\t.*\n/, '')),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:4'],
  ],
  [
    'an entry whose commitment is exchanged',
    () => edited(wholeDraw().pack(), 'log.txt', (log) => log.replace(/(\t44\tpaid\t)../, '$100')),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:5'],
  ],
  [
    'a number that is given twice',
    () =>
      new TestDraw()
        .entry(7)
        .entry(8)
        .entry(7)
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: number-twice in log.txt:4'],
  ],
  [
    'a number beyond the tickets',
    () =>
      new TestDraw()
        .entry(51)
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: number-range in log.txt:2'],
  ],
  [
    'an entry given away that the terms do not know',
    () =>
      new TestDraw()
        .entry(7, 'demo')
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: kind-of-terms in log.txt:2'],
  ],
  [
    'more late entries than there were payments under way',
    () =>
      new TestDraw()
        .close(1)
        .entry(1)
        .entry(2, 'postal')
        .entry(3)
        .checkpoint(CLOSES + 9)
        .pack(),
    ['log: late-entry in log.txt:5'],
  ],
  [
    'an entry after the seal',
    () =>
      sealedDraw()
        .entry(1)
        .checkpoint(DRAW - 7200)
        .pack(),
    ['log: after-seal in log.txt:19'],
  ],
  [
    'a void without an entry',
    () => new TestDraw().void(7).checkpoint(1).pack(),
    ['log: void-without-entry in log.txt:2'],
  ],
  [
    'a second void',
    () => new TestDraw().entry(7).void(7).void(7).checkpoint(1).pack(),
    ['log: void-twice in log.txt:4'],
  ],
  [
    'a void for a reason that the terms do not have',
    () => new TestDraw({ voidReasons: ['refunded'] }).entry(7).void(7, 'staff').checkpoint(1).pack(),
    ['log: reason-of-terms in log.txt:3'],
  ],
  [
    'a void after the seal that takes a row from the list',
    () =>
      edited(
        sealedDraw()
          .void(44)
          .checkpoint(DRAW - 7200)
          .pack(),
        'list.txt',
        (list) => list.replace(/(\n44\t.*\t)valid/, '$1void:refunded'),
      ),
    ['list: line in list.txt:24'],
  ],
  [
    'a list with an entry more than the log',
    () =>
      sealedWith((rows) =>
        [...rows, { number: 1, kind: 'paid' as const, commitment: '00'.repeat(32), voided: null }].toSorted(
          (a, b) => a.number - b.number,
        ),
      ),
    ['list: line in list.txt:6'],
  ],
  [
    'a list with an entry less than the log',
    () => sealedWith((rows) => rows.filter(({ number }) => number !== LOSER)),
    ['list: line in list.txt:6'],
  ],
  [
    'a list with a void entry as a valid one',
    () => sealedWith((rows) => rows.map((row) => ({ ...row, voided: null }))),
    ['list: line in list.txt:9'],
  ],
  [
    'a seal after the draw instant',
    () => halfDraw().list('seal').checkpoint(DRAW).pack(),
    ['seal: seal-after-draw in log.txt:6'],
  ],
  [
    'a sale that is closed before its time',
    () =>
      new TestDraw()
        .entry(1)
        .close()
        .checkpoint(CLOSES - 1)
        .pack(),
    ['seal: close-early in log.txt:3'],
  ],
  [
    'another closing instant',
    () =>
      new TestDraw()
        .add({ type: 'close', instant: CLOSES - 1, pending: 0 })
        .checkpoint(CLOSES)
        .pack(),
    ['log: close-instant in log.txt:2'],
  ],
  [
    'terms that are fixed once the sale is over',
    () => new TestDraw().checkpoint(CLOSES).pack(),
    ['seal: open-late in log.txt:1'],
  ],
  [
    'a chain of the shop’s own in a draw with a prize',
    () => new TestDraw({ demonstration: false }).checkpoint(1).pack(),
    ['terms: chain-unknown in terms.txt:16'],
  ],
  [
    'tickets given away in a draw with a prize',
    () => new TestDraw({ ...LIVE, kinds: ['paid', 'demo'] }).checkpoint(1).pack(),
    ['terms: words in terms.txt:6'],
  ],
  [
    'terms that let the shop void and cancel until the draw',
    () => new TestDraw({ ...LIVE, notice: 3599 }).checkpoint(1).pack(),
    ['terms: range in terms.txt:23'],
  ],
  [
    'another round',
    () =>
      sealedDraw()
        .result(TERMS.beacon.round + 1)
        .checkpoint(DRAW + 10)
        .pack(),
    ['beacon: round in beacon-0.json:1'],
  ],
  [
    'another round under the name of the right one',
    () =>
      edited(
        sealedDraw()
          .result(TERMS.beacon.round + 1)
          .checkpoint(DRAW + 10)
          .pack(),
        'beacon-0.json',
        (json) => json.replace(/\d+/, String(TERMS.beacon.round)),
      ),
    ['beacon: beacon-signature in beacon-0.json:1'],
  ],
  [
    'another winner',
    () =>
      sealedDraw()
        .result(undefined, { number: LOSER })
        .checkpoint(DRAW + 10)
        .pack(),
    ['winner: line in result-0.txt:13'],
  ],
  [
    'a value that was taken although it was not the first',
    () =>
      sealedDraw()
        .result(undefined, { tries: 2 })
        .checkpoint(DRAW + 10)
        .pack(),
    ['winner: line in result-0.txt:10'],
  ],
  [
    'a result without its file',
    () =>
      without(
        sealedDraw()
          .result()
          .checkpoint(DRAW + 10),
        'result-0.txt',
      ),
    ['winner: missing-file in result-0.txt:0'],
  ],
  [
    'a result without the answer of the beacon',
    () =>
      without(
        sealedDraw()
          .result()
          .checkpoint(DRAW + 10),
        'beacon-0.json',
      ),
    ['beacon: missing-file in beacon-0.json:0'],
  ],
  [
    'a result that no leaf names',
    () => new Map([...sealedDraw().pack(), ['result-0.txt', wholeDraw().pack().get('result-0.txt')!]]),
    ['winner: unknown-file in result-0.txt:0'],
  ],
  [
    'a second draw without a forfeiture',
    () =>
      sealedDraw()
        .result()
        .result()
        .checkpoint(DRAW + 10)
        .pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a draw before the seal',
    () =>
      new TestDraw()
        .close()
        .add({ type: 'result', attempt: 0, hash: '00'.repeat(32) })
        .checkpoint(DRAW)
        .pack(),
    ['log: order in log.txt:3'],
  ],
  [
    'a forfeiture before the claim ran out',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT - 1)
        .checkpoint(NEXT)
        .pack(),
    ['forfeitures: unclaimed-early in forfeiture-0.txt:9'],
  ],
  [
    'a forfeiture that is dated back until its round is known',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT)
        .checkpoint(NEXT + DELAY + 2)
        .pack(),
    ['forfeitures: forfeit-after-round in forfeiture-0.txt:11'],
  ],
  [
    'a forfeiture that is dated forward',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', NEXT)
        .checkpoint(NEXT - 1)
        .pack(),
    ['forfeitures: forfeit-before-published in forfeiture-0.txt:9'],
  ],
  [
    'a round of the shop’s choice for the alternate',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT, { round: 40_000_000 })
        .checkpoint(NEXT)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:11'],
  ],
  [
    'a forfeiture of somebody else',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20, { number: LOSER })
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:4'],
  ],
  [
    'a forfeiture over another log',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20, { logSize: 18 })
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:7'],
  ],
  [
    'a forfeiture for a reason that the terms do not have',
    () =>
      sealedDraw({ forfeitReasons: ['unclaimed', 'voided'] })
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: reason-of-terms in forfeiture-0.txt:5'],
  ],
  [
    'a void as the reason without a void',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: void-missing in forfeiture-0.txt:5'],
  ],
  [
    'more forfeitures by staff than the terms allow',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a refund of the winner after the draw, to draw again',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .void(STRICT_WINNER)
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a result that is dated before its round',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW - 1)
        .pack(),
    ['winner: result-before-round in log.txt:19'],
  ],
  [
    'a void of the winner after the result, both dated before the round',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .void(STRICT_WINNER)
        .checkpoint(DRAW - 1)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['winner: result-before-round in log.txt:19'],
  ],
  [
    'a void before the result, but after the round is known',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER)
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a void of the winner later than the notice allows',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER)
        .checkpoint(DRAW - NOTICE + 1)
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a void by staff before the draw, to draw again',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER, 'staff')
        .checkpoint(DRAW - NOTICE)
        .result()
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a list that no leaf names',
    () => new Map(new TestDraw().checkpoint(1).pack()).set('list.txt', sealedDraw().pack().get('list.txt')!),
    ['list: unknown-file in list.txt:0'],
  ],
  [
    'an answer of the beacon that no leaf names',
    () => new Map(sealedDraw().pack()).set('beacon-0.json', wholeDraw().pack().get('beacon-0.json')!),
    ['beacon: unknown-file in beacon-0.json:0'],
  ],
  [
    'a forfeiture that no leaf names',
    () => new Map(wholeDraw().pack()).set('forfeiture-1.txt', wholeDraw().pack().get('forfeiture-0.txt')!),
    ['forfeitures: unknown-file in forfeiture-1.txt:0'],
  ],
  [
    'a statement that no leaf names',
    () => new Map(wholeDraw().pack()).set('statement-1.txt', new Uint8Array()),
    ['forfeitures: unknown-file in statement-1.txt:0'],
  ],
  [
    'a silence of the beacon after a winner who has not forfeited',
    () =>
      sealedDraw()
        .result()
        .add({ type: 'cancel', reason: 'beacon-silent' })
        .checkpoint(DRAW + 700_000)
        .pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a statement that is exchanged',
    () => edited(wholeDraw().pack(), 'statement-0.txt', (text) => text.replace('Nobody', 'Somebody')),
    ['forfeitures: statement-hash in statement-0.txt:0'],
  ],
  [
    'a prize for somebody else',
    () =>
      sealedDraw()
        .result()
        .claim()
        .add({ type: 'award', attempt: 0, number: LOSER })
        .checkpoint(DRAW + 10)
        .pack(),
    ['end: award-number in log.txt:21'],
  ],
  [
    'a forfeiture after the prize was given',
    () =>
      sealedDraw()
        .result()
        .claim()
        .award()
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['log: after-end in log.txt:22'],
  ],
  [
    'a cancellation once the winner is known',
    () => sealedDraw().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(),
    ['end: cancelled-late in log.txt:19'],
  ],
  [
    'a cancellation of a sealed draw later than the notice allows',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'shop' })
        .checkpoint(DRAW - NOTICE + 1)
        .pack(),
    ['end: cancelled-late in log.txt:19'],
  ],
  [
    'a cancellation of a draw with a result',
    () => sealedDraw().result().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a beacon that is called silent too soon',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'beacon-silent' })
        .checkpoint(DRAW + 600)
        .pack(),
    ['end: silence-too-short in log.txt:19'],
  ],
  [
    'rows that are left although there are none',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'no-entries' })
        .checkpoint(DRAW - 7200)
        .pack(),
    ['end: rows-left in log.txt:19'],
  ],
  [
    'a time for the claim that has no end, and a forfeiture',
    () => claimedInVain(NEXT, { claim: ENDLESS }),
    ['forfeitures: unclaimed-early in forfeiture-0.txt:9'],
  ],
  [
    'a notice that is longer than all time, and a cancellation',
    () =>
      sealedDraw({ notice: ENDLESS })
        .add({ type: 'cancel', reason: 'shop' })
        .checkpoint(DRAW - 7000)
        .pack(),
    ['end: cancelled-late in log.txt:19'],
  ],
  [
    'a patience with the beacon that has no end, and a silence',
    () =>
      sealedDraw({ beaconPatience: ENDLESS })
        .add({ type: 'cancel', reason: 'beacon-silent' })
        .checkpoint(DRAW + 700_000)
        .pack(),
    ['end: silence-too-short in log.txt:19'],
  ],
  [
    'a result whose round never comes',
    () =>
      sealedDraw({ beacon: { ...TERMS.beacon, period: ENDLESS, round: 2 } })
        .result()
        .checkpoint(DRAW + 10)
        .pack(),
    ['winner: result-before-round in log.txt:19'],
  ],
  [
    'a checkpoint of another tree',
    () => new TestDraw().checkpoint(1, { root: '00'.repeat(32) }).pack(),
    ['checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a checkpoint of more leaves than there are',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.slice(0, log.indexOf('\n') + 1),
      ),
    ['checkpoints: size-beyond-log in checkpoints.txt:2'],
  ],
  [
    'leaves that no checkpoint covers',
    () => new TestDraw().checkpoint(1).entry(1).pack(),
    ['checkpoints: log-not-covered in checkpoints.txt:1'],
  ],
  [
    'a checkpoint that is dated before the one before it',
    () => new TestDraw().checkpoint(2).entry(1).checkpoint(1).pack(),
    ['checkpoints: time-fell in checkpoints.txt:11'],
  ],
  [
    'a smaller checkpoint after a larger one',
    () => new TestDraw().entry(1).checkpoint(1).checkpoint(2, { size: 1 }).checkpoint(3).pack(),
    ['checkpoints: size-fell in checkpoints.txt:9'],
  ],
  [
    'a checkpoint of another contest',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) =>
        text.replace('bleue', 'rouge'),
      ),
    ['checkpoints: origin in checkpoints.txt:1'],
  ],
  [
    'a checkpoint that another key has signed',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) =>
        text.replace(/(?<=— \S+ )..../, 'AAAA'),
      ),
    ['checkpoints: signature-missing in checkpoints.txt:1'],
  ],
  [
    'a checkpoint with two signatures of the key',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) =>
        text.replace(/(— .*\n)/, '$1$1'),
      ),
    ['checkpoints: signature-twice in checkpoints.txt:7'],
  ],
  [
    'a leaf of another contest',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.replace(/(entry-v1\t)berline/, '$1verline'),
      ),
    ['log: contest in log.txt:2', 'checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a rehearsal among the leaves',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.replace('volant-entry', 'rehearsal-volant-entry'),
      ),
    ['log: mixed-rehearsal in log.txt:2', 'checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a rehearsal as a draw',
    () =>
      new Map(wholeDraw({ rehearsal: true }).pack()).set(
        'README.txt',
        new TextEncoder().encode('volant-evidence-v1\n'),
      ),
    ['pack: tag in README.txt:1'],
  ],
  [
    'other terms than those of the log',
    () =>
      new Map(new TestDraw().checkpoint(1).pack()).set(
        'terms.txt',
        new TestDraw({ price: 400 }).pack().get('terms.txt')!,
      ),
    ['terms: file-hash in terms.txt:0'],
  ],
  ...['volant-evidence-v1\n\xFF\n', 'volant-evidence-v1\r\n', '\xEF\xBB\xBFvolant-evidence-v1\n'].map(
    (text, at): (typeof CHEATS)[number] => [
      `a README of other bytes (${at + 1})`,
      () =>
        new Map(wholeDraw().pack()).set(
          'README.txt',
          Uint8Array.from(text, (one) => one.charCodeAt(0)),
        ),
      [
        at === 0
          ? 'pack: character in README.txt:2'
          : at === 1
            ? 'pack: character in README.txt:1'
            : 'pack: tag in README.txt:1',
      ],
    ],
  ),
  [
    'a file that nobody knows',
    () => new Map(wholeDraw().pack()).set('result-01.txt', new Uint8Array()),
    ['pack: unknown-file in result-01.txt:0'],
  ],
  [
    'an empty log',
    () => new Map(new TestDraw().checkpoint(1).pack()).set('log.txt', new Uint8Array()),
    ['log: first-leaf in log.txt:1', 'checkpoints: size-beyond-log in checkpoints.txt:2'],
  ],
  [
    'other terms in the register a second time',
    () =>
      sealedDraw()
        .alsoRegister(termsLeaf({ contest: CONTEST, termsHash: NO_HASH }))
        .signRegister(DRAW - 7000)
        .pack(),
    ['register: second-terms in register.txt:9'],
  ],
  [
    'other terms in the register than those of the pack',
    () => {
      const draw = new TestDraw()
      draw.register[2] = termsLeaf({ contest: CONTEST, termsHash: NO_HASH })
      return draw.checkpoint(1).pack()
    },
    ['register: terms-leaf in register.txt:3'],
  ],
  [
    'a contest that is in the register before its terms',
    () => {
      const draw = new TestDraw()
      draw.register.pop()
      return draw.checkpoint(1).pack()
    },
    ['register: terms-leaf in register.txt:3'],
  ],
  [
    'a register without the contest',
    () => {
      const draw = new TestDraw().checkpoint(1)
      draw.register.splice(2)
      return resigned(draw, 1)
    },
    ['register: terms-leaf in register.txt:0'],
  ],
  [
    'a second log for the witnesses',
    () =>
      sealedDraw()
        .alsoRegister(logLeaf({ contest: CONTEST, size: 18, root: NO_HASH }))
        .signRegister(DRAW - 7000)
        .pack(),
    ['register: registered-root in register.txt:9'],
  ],
  [
    'a log that has become shorter for the witnesses',
    () => {
      const draw = sealedDraw()
      return draw
        .alsoRegister(logLeaf({ contest: CONTEST, size: 17, root: draw.root(17) }))
        .signRegister(DRAW - 7000)
        .pack()
    },
    ['register: registered-size-fell in register.txt:9'],
  ],
  [
    'a log without the leaf that the witnesses have seen',
    () => {
      const root = sealedDraw().void(LOSER).root()
      return sealedDraw()
        .alsoRegister(logLeaf({ contest: CONTEST, size: 19, root }))
        .signRegister(DRAW - 7000)
        .pack()
    },
    ['register: registered-beyond-log in register.txt:9'],
  ],
  [
    'a seal with its entries that the register does not fix',
    () => {
      const draw = sealedDraw()
      draw.register.pop()
      return resigned(draw, SEALED)
    },
    ['register: not-registered in log.txt:17'],
  ],
  [
    'a void after the seal that the register does not fix',
    () => {
      const draw = sealedDraw()
        .void(LOSER)
        .checkpoint(DRAW - 7000)
      draw.register.pop()
      return resigned(draw, DRAW - 7000)
    },
    ['register: not-registered in log.txt:19'],
  ],
  [
    'a result that is not in the register',
    () => {
      const draw = sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
      draw.register.splice(8, 1)
      return resigned(draw, DRAW + 10)
    },
    ['register: not-registered in log.txt:19'],
  ],
  [
    'another result in the register',
    () => {
      const draw = sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
      draw.register[8] = leafText({ type: 'result', attempt: 0, hash: NO_HASH }, TERMS)
      return resigned(draw, DRAW + 10)
    },
    ['register: registered-line in register.txt:9'],
  ],
  [
    'a cancellation in the register of a draw that goes on',
    () =>
      sealedDraw()
        .alsoRegister(leafText({ type: 'cancel', reason: 'shop' }, TERMS))
        .signRegister(DRAW - 7000)
        .pack(),
    ['register: registered-line in register.txt:9'],
  ],
  [
    'a rehearsal in the register',
    () =>
      new TestDraw()
        .checkpoint(1)
        .alsoRegister(termsLeaf({ contest: 'coupe-rouge', termsHash: NO_HASH, rehearsal: true }))
        .signRegister(2)
        .pack(),
    ['register: mixed-rehearsal in register.txt:5'],
  ],
  [
    'a leaf of another contest in the register of a rehearsal',
    () =>
      new TestDraw({ rehearsal: true })
        .checkpoint(1)
        .alsoRegister(termsLeaf({ contest: 'coupe-rouge', termsHash: NO_HASH, rehearsal: true }))
        .signRegister(2)
        .pack(),
    ['register: contest in register.txt:3'],
  ],
  [
    'witnesses of a rehearsal',
    () => new TestDraw({ rehearsal: true }, WITNESSED).checkpoint(1).pack(),
    ['terms: word in terms.txt:25'],
  ],
  ...(
    [
      ['range', `volant-log-v1\tcoupe-rouge\t0\t${NO_HASH}`],
      ['hash', 'volant-terms-v1\tcoupe-rouge\t00'],
      ['word', `volant-verifier-v1\tVerify\t${NO_HASH}`],
      ['tag', `volant-open-v1\tcoupe-rouge\t${NO_HASH}`],
      ['fields', `volant-terms-v1\tcoupe-rouge\t${NO_HASH}\t`],
    ] as const
  ).map(([code, leaf]): (typeof CHEATS)[number] => [
    `a leaf of the register that is not well-formed (${code})`,
    () => new TestDraw().checkpoint(1).alsoRegister(leaf).signRegister(2).pack(),
    [`register: ${code} in register.txt:5`],
  ]),
  ...['register.txt', 'register-checkpoints.txt'].map((file): (typeof CHEATS)[number] => [
    `a pack without ${file}`,
    () => without(new TestDraw().checkpoint(1), file),
    [`register: missing-file in ${file}:0`],
  ]),
  [
    'leaves of the register that no checkpoint covers',
    () =>
      new TestDraw()
        .checkpoint(1)
        .alsoRegister(verifierLeaf({ name: 'verify-draw.py', hash: NO_HASH }))
        .pack(),
    ['register: log-not-covered in register-checkpoints.txt:1'],
  ],
  [
    'a register that has lost leaves',
    () => {
      const draw = new TestDraw().checkpoint(1)
      draw.alsoRegister(verifierLeaf({ name: 'verify-draw.py', hash: NO_HASH })).signRegister(2)
      draw.register.pop()
      return draw.pack()
    },
    ['register: size-beyond-log in register-checkpoints.txt:9'],
  ],
  [
    'a register that was rewritten',
    () => {
      const draw = new TestDraw().checkpoint(1)
      draw.register[0] = verifierLeaf({ name: 'verify.html', hash: 'ff'.repeat(32) })
      return draw.pack()
    },
    ['register: root in register-checkpoints.txt:3'],
  ],
  [
    'a checkpoint of the register that is dated before the one before it',
    () => new TestDraw().checkpoint(2).signRegister(1).pack(),
    ['register: time-fell in register-checkpoints.txt:11'],
  ],
  [
    'a checkpoint of the contest as one of the register',
    () =>
      new TestDraw()
        .checkpoint(1)
        .signRegister(2, { origin: `${TERMS.host}/draws/${CONTEST}` })
        .pack(),
    ['register: origin in register-checkpoints.txt:8'],
  ],
  [
    'witnesses other than those of the terms',
    () =>
      new Map(new TestDraw({}, WITNESSED).checkpoint(1).pack()).set(
        'policy.txt',
        new TextEncoder().encode(policyOf('1')),
      ),
    ['register: text-hash in policy.txt:0'],
  ],
  [
    'witnesses that the terms do not name',
    () =>
      new Map(new TestDraw().checkpoint(1).pack()).set('policy.txt', new TextEncoder().encode(policyOf('1'))),
    ['register: unknown-file in policy.txt:0'],
  ],
  [
    'witnesses that nobody can look up',
    () => without(new TestDraw({}, WITNESSED).checkpoint(1), 'policy.txt'),
    ['register: missing-file in policy.txt:0'],
  ],
  ...(
    [
      ['policy', 'quorum somebody\n'],
      ['no-final-newline', 'quorum none'],
      ['character', 'quorum none\r\n'],
    ] as const
  ).map(([code, policy]): (typeof CHEATS)[number] => [
    `a policy that cannot be read (${code})`,
    () => new TestDraw({}, { policy }).checkpoint(1).pack(),
    [`register: ${code} in policy.txt:1`],
  ]),
  ...['north', 'west'].map((witness): (typeof CHEATS)[number] => [
    `a false signature under the name of ${witness}`,
    () =>
      edited(sealedDraw({}, WITNESSED).pack(), 'register-checkpoints.txt', (text) =>
        text.replace(new RegExp(`(?<=— ${witness}\\.example .{60}).`), (one) => (one === 'A' ? 'B' : 'A')),
      ),
    [`register: cosignature in register-checkpoints.txt:${witness === 'north' ? 7 : 39}`],
  ]),
  [
    'a void of the winner that is dated back, which the witnesses saw once the round was known',
    () => voidedInTime(heldBack((time) => time === IN_TIME, DRAW + 5)).pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a void of the winner that is dated back, which no witness confirms',
    () => voidedInTime((name, one) => (one.time > SEALED ? null : honestly(name, one))).pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
]

const UNCONFIRMED: Voucher = { by: 'shop', why: 'unconfirmed' }
const OPENED = CLOSES - 3600 + 3
/** Draws in which nothing is false but what the shop alone says, with who vouches for their times, and the remarks. */
export const VOUCHED: [what: string, files: () => Pack, voucher: Voucher, remarks: RemarkCode[]][] = [
  [
    'a draw that its witnesses have confirmed',
    () => wholeDraw({}, WITNESSED).pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    [],
  ],
  [
    'a draw that every witness has confirmed before it',
    () => wholeDraw({}, { policy: POLICY, sign: (_, { time }) => time + 9 }).pack(),
    { by: 'witnesses', count: 4, of: 4, opened: OPENED + 6, sealed: SEALED + 9, stamps: null },
    [],
  ],
  [
    'a contest that is being sold',
    () =>
      new TestDraw({}, WITNESSED)
        .entry(1)
        .checkpoint(CLOSES - 3600)
        .pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: null, stamps: null },
    [],
  ],
  [
    'a void in time that the witnesses have confirmed in time',
    () => voidedInTime(honestly).pack(),
    { by: 'witnesses', count: 4, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    [],
  ],
  [
    'a draw that an authority has stamped, without witnesses',
    () => stampedAt({}),
    { by: 'stamps', ...STAMPS },
    [],
  ],
  [
    'a draw that its witnesses have confirmed, and an authority stamped',
    () => wholeDraw({}, { ...WITNESSED, ...STAMPED }).pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: STAMPS },
    [],
  ],
  [
    'a draw that no witness confirms, and an authority stamped',
    () => wholeDraw({}, { policy: POLICY, sign: () => null, ...STAMPED }).pack(),
    { by: 'stamps', ...STAMPS },
    ['terms-unconfirmed', 'seal-unconfirmed', 'forfeit-unconfirmed'],
  ],
  [
    'a contest that is being sold, whose terms are stamped',
    () =>
      new TestDraw({}, STAMPED)
        .checkpoint(CLOSES - 3600)
        .stamp('terms.tsr', CLOSES - 3590)
        .pack(),
    { by: 'stamps', ...STAMPS, sealed: null },
    [],
  ],
  [
    'a draw with an authority that has stamped nothing',
    () => {
      const pack = without(wholeDraw({}, STAMPED), 'terms.tsr')
      pack.delete('seal.tsr')
      return pack
    },
    { by: 'shop', why: 'no-policy' },
    ['terms-unstamped', 'seal-unstamped'],
  ],
  [
    'a draw whose list has no stamp',
    () => without(wholeDraw({}, STAMPED), 'seal.tsr'),
    { by: 'shop', why: 'no-policy' },
    ['seal-unstamped'],
  ],
  [
    'terms that were stamped when all was sold',
    () => stampedAt({ terms: CLOSES }),
    { by: 'shop', why: 'no-policy' },
    ['terms-unstamped'],
  ],
  [
    'terms that were stamped in the last second',
    () => stampedAt({ terms: CLOSES - 1 }),
    { by: 'stamps', ...STAMPS, opened: CLOSES - 1 },
    [],
  ],
  [
    'a list that was stamped with the winner',
    () => stampedAt({ seal: DRAW }),
    { by: 'shop', why: 'no-policy' },
    ['seal-unstamped'],
  ],
  ['a draw without witnesses', () => wholeDraw().pack(), { by: 'shop', why: 'no-policy' }, []],
  [
    'a draw whose policy asks for nobody',
    () => wholeDraw({}, { policy: policyOf('none') }).pack(),
    { by: 'shop', why: 'no-policy' },
    [],
  ],
  [
    'a history that the shop has written anew, and that no witness signs',
    () => wholeDraw({}, { policy: POLICY, sign: () => null }).pack(),
    UNCONFIRMED,
    ['terms-unconfirmed', 'seal-unconfirmed', 'forfeit-unconfirmed'],
  ],
  [
    'fewer witnesses than the terms ask for',
    () =>
      wholeDraw(
        {},
        { policy: POLICY, sign: (name, one) => (name === 'east.example' ? null : honestly(name, one)) },
      ).pack(),
    UNCONFIRMED,
    ['terms-unconfirmed', 'seal-unconfirmed', 'forfeit-unconfirmed'],
  ],
  [
    'signatures of others than the witness of the terms',
    () =>
      wholeDraw(
        {},
        {
          policy: policyOf('none', WITNESSES.slice(3)).replace('quorum none', 'quorum west'),
          sign: (name, one) => (name === 'west.example' ? null : honestly(name, one)),
        },
      ).pack(),
    UNCONFIRMED,
    ['terms-unconfirmed', 'seal-unconfirmed', 'forfeit-unconfirmed'],
  ],
  [
    'a witness whose clock is an hour slow',
    () =>
      wholeDraw(
        {},
        {
          policy: POLICY,
          sign: (name, one) => (name === 'east.example' ? one.time - 3600 : honestly(name, one)),
        },
      ).pack(),
    UNCONFIRMED,
    ['terms-unconfirmed', 'seal-unconfirmed', 'forfeit-unconfirmed'],
  ],
  [
    'a witness whose clock is a minute slow',
    () =>
      wholeDraw(
        {},
        {
          policy: POLICY,
          sign: (name, one) => (name === 'east.example' ? one.time - 60 : honestly(name, one)),
        },
      ).pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    [],
  ],
  [
    'terms that are dated back, which the witnesses saw after the close',
    () => wholeDraw({}, { policy: POLICY, sign: heldBack((time) => time < CLOSES, CLOSES + 1) }).pack(),
    UNCONFIRMED,
    ['terms-unconfirmed', 'terms-late'],
  ],
  [
    'terms that the witnesses saw an hour late',
    () =>
      new TestDraw({}, { policy: POLICY, sign: heldBack((time) => time < CLOSES - 9000, CLOSES - 9000) })
        .checkpoint(CLOSES - 12_601)
        .pack(),
    { by: 'witnesses', count: 3, of: 4, opened: CLOSES - 8997, sealed: null, stamps: null },
    ['terms-late'],
  ],
  [
    'a seal that is dated back, which the witnesses saw with the winner',
    () => wholeDraw({}, { policy: POLICY, sign: heldBack((time) => time === SEALED, DRAW - 3) }).pack(),
    UNCONFIRMED,
    ['seal-unconfirmed'],
  ],
  [
    'a cancellation in time that the witnesses saw in time',
    () => cancelledInTime(honestly).pack(),
    { by: 'witnesses', count: 4, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    ['cancelled-after-seal'],
  ],
  [
    'a cancellation that is dated back, which the witnesses saw with the winner',
    () => cancelledInTime(heldBack((time) => time === IN_TIME, DRAW + 5)).pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    ['cancelled-after-seal', 'cancelled-unconfirmed'],
  ],
  [
    'a cancellation that no witness saw',
    () => cancelledInTime((name, one) => (one.time > SEALED ? null : honestly(name, one))).pack(),
    { by: 'witnesses', count: 3, of: 4, opened: OPENED, sealed: SEALED + 4, stamps: null },
    ['cancelled-after-seal', 'cancelled-unconfirmed'],
  ],
  [
    'a winner who has claimed twice, and shown no proof of identity',
    () => {
      const draw = drawn().claim().claim()
      return draw
        .checkpoint(DRAW + 60)
        .forfeit('unclaimed', TWICE)
        .checkpoint(TWICE)
        .pack()
    },
    { by: 'shop', why: 'no-policy' },
    ['claimed'],
  ],
  [
    'a winner who has claimed, and forfeits for another reason',
    () => drawnAgain(drawn().claim()).pack(),
    { by: 'shop', why: 'no-policy' },
    [],
  ],
]

/** A contest up to the provisional list. */
export function halfDraw(witnessed: Witnessed = {}): TestDraw {
  return new TestDraw({}, witnessed)
    .entry(7)
    .entry(9)
    .checkpoint(CLOSES - 1)
    .close()
    .list('list')
    .checkpoint(CLOSES + 1)
}
function sealedOf(draw: TestDraw, ...how: ListChanges): TestDraw {
  return draw
    .checkpoint(CLOSES - 1)
    .close()
    .list('list')
    .checkpoint(CLOSES + 1)
    .list('seal', ...how)
    .checkpoint(DRAW - 7200)
}
function sealedWith(...how: ListChanges): Pack {
  return sealedOf(new TestDraw().entry(7).entry(LOSER).entry(9).void(9), ...how).pack()
}
