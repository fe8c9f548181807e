import { sha256 } from '@noble/hashes/sha2.js'
import { BEACON, TestDraw } from '#draw-protocol/draw.test-support.ts'
import { roundAt } from '#draw-protocol/beacon.ts'
import { fromHex, toHex } from '#draw-protocol/bytes.ts'
import { seededRandom } from '../../db/story/random.ts'

/** Draws with one signature: whoever verifies it slowly does so once. */
const DRAWS_OF_A_ROUND = 250
const CLOSES = 1_800_000_000

/** What every verifier must find in a draw. */
export interface Findings {
  verdict: string
  listHash: string
  listRoot: string
  randomness: string
  winners: number[]
}

/** A whole draw with a random list, and what its maker says of it. The same number gives the same draw. */
export function randomDraw(number: number): { files: Map<string, Uint8Array>; findings: Findings } {
  const random = seededRandom(number)
  const tickets = random.pick([3, 24, 60, 400])
  const at = CLOSES + 90_000 + 60 * Math.floor(number / DRAWS_OF_A_ROUND)
  const draw = new TestDraw({
    contest: `draw-${number}`,
    tickets,
    postReserve: 0,
    closes: CLOSES,
    draw: at,
    beacon: { ...BEACON, round: roundAt(BEACON, at)! },
  })
  const free = Array.from({ length: tickets }, (_, index) => index + 1)
  const entered: number[] = []
  const enter = (): void => {
    const entry = free.splice(random.between(0, free.length - 1), 1)[0]!
    entered.push(entry)
    draw.entry(entry, random.chance(0.2) ? 'postal' : 'paid')
  }
  const voided = new Set<number>()
  const maybeVoid = (): void => {
    const one = random.pick(entered)
    // Somebody is left to win.
    if (voided.has(one) || voided.size + 2 > entered.length || !random.chance(0.3)) return
    voided.add(one)
    draw.void(one, random.pick(['refunded', 'disputed', 'excluded']))
  }
  for (let count = random.between(1, Math.min(tickets, 40)); count > 0; count -= 1) {
    enter()
    maybeVoid()
  }
  draw
    .checkpoint(CLOSES - 1)
    .close()
    .list('list')
    .checkpoint(CLOSES + 60)
  maybeVoid()
  draw
    .list('seal')
    .checkpoint(at - draw.terms.sealMargin - 60)
    .result()
    .checkpoint(at + 10)
  const [result] = draw.results
  const listRoot = draw.leaves.find((leaf) => leaf.startsWith('volant-seal-v1'))!.split('\t')[3]!
  return {
    files: draw.pack(),
    findings: {
      verdict: 'passed',
      listHash: toHex(sha256(draw.files.get('list.txt')!)),
      listRoot,
      randomness: toHex(sha256(fromHex(result!.signature))),
      winners: [result!.number],
    },
  }
}
