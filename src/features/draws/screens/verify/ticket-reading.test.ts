import { sha256 } from '@noble/hashes/sha2.js'
import { afterEach, expect, test, vi } from 'vitest'
import { LOSER } from '#draw-protocol/cheats.test-support.ts'
import { type LeafQuestion, checkLeaf } from '#draw-protocol/check.ts'
import { type TestDraw, fragmentOf, leafResponse, sealedDraw } from '#draw-protocol/draw.test-support.ts'
import { viewOf } from './ticket-proof.tsx'
import { readTicket } from './ticket-reading.ts'

afterEach(() => vi.unstubAllGlobals())

const never = new AbortController().signal
const asked: string[] = []

/** Responds to calls by the end of their address. */
function responding(responses: Record<string, BodyInit | number>): void {
  asked.length = 0
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const [, outcome = 404] = Object.entries(responses).find(([end]) => address.endsWith(end)) ?? []
    return Promise.resolve(
      typeof outcome === 'number' ? new Response('', { status: outcome }) : new Response(outcome),
    )
  })
}

/** A worker that responds in this process. */
function localWorker(): Worker {
  const target = new EventTarget()
  return Object.assign(target, {
    postMessage: (question: LeafQuestion) =>
      void target.dispatchEvent(
        Object.assign(new Event('message'), {
          data: { type: 'leaf', outcome: checkLeaf(question, sha256) },
        }),
      ),
    terminate: () => undefined,
  }) as unknown as Worker
}

const deadWorker = (): Worker => {
  throw new Error('workers are forbidden')
}

const sealed = sealedDraw()
const proof = fragmentOf(sealed, LOSER)
const find = (text = proof, open = localWorker) => readTicket('berline-bleue', text, open, never)

function publish(draw: TestDraw, number: number): void {
  const terms = draw.pack().get('terms.txt')! as BodyInit
  responding({ [`leaf?number=${number}`]: JSON.stringify(leafResponse(draw, number)), 'terms.txt': terms })
}

test('only the number of a proof link is sent', async () => {
  publish(sealed, LOSER)
  const { shown, isDemonstration } = await find()
  expect(shown).toMatchObject({ outcome: 'found', number: LOSER, listed: 'valid', end: 'undrawn' })
  expect(isDemonstration).toBe(true)
  // No list is read, however long it is.
  expect(asked.map((address) => address.split('/').at(-1))).toEqual([`leaf?number=${LOSER}`, 'terms.txt'])
  for (const part of proof.slice(1).split('.').slice(1)) expect(asked.join(' ')).not.toContain(part)
})

test('what cannot be had is told apart from what is not there, and from what the browser cannot do', async () => {
  responding({})
  expect((await find()).shown).toEqual({ outcome: 'absent', number: LOSER })
  for (const failing of [503, 'Log in to the hotel’s network'] as const) {
    responding({ [`leaf?number=${LOSER}`]: failing, 'terms.txt': 'x' })
    await expect(find()).rejects.toThrow('did not respond')
  }
  publish(sealed, LOSER)
  expect((await find(proof, deadWorker)).shown).toEqual({ outcome: 'broken' })
  expect((await find('#a.b.c')).shown).toEqual({ outcome: 'malformed' })
  const other = fragmentOf(sealedDraw({ perPerson: 9 }), LOSER)
  expect((await find(other)).shown).toMatchObject({ outcome: 'otherTerms', number: LOSER })
})

const drawn = () => sealedDraw().result()
const first = drawn().results[0]!.number
const { draw: drawAt, claim } = sealed.terms
const published = drawAt + 10 + claim
const forfeited = (): TestDraw =>
  drawn()
    .checkpoint(drawAt + 10)
    .forfeit('unclaimed', published)
const second = forfeited().result().results[1]!.number
const end = published + sealed.terms.alternateDelay + 10

/** A ticket, the draw at a moment, and what its page says first. */
const MOMENTS: [
  draw: () => TestDraw,
  number: number,
  time: number,
  tone: string,
  head: string,
  text: string,
][] = [
  [sealedDraw, LOSER, drawAt - 700, 'open', 'in', 'in'],
  [sealedDraw, 31, drawAt - 700, 'warning', 'void', 'out'],
  [() => sealedDraw().void(LOSER), LOSER, drawAt - 700, 'warning', 'void', 'later'],
  [drawn, first, drawAt + 10, 'won', 'won', 'won'],
  [drawn, LOSER, drawAt + 10, 'quiet', 'lost', 'lost'],
  [() => drawn().void(first), first, drawAt + 10, 'warning', 'void', 'drawnVoid'],
  [() => drawn().claim(), first, drawAt + 10, 'won', 'won', 'claimed'],
  [() => drawn().claim().award(), first, drawAt + 10, 'won', 'awarded', 'awarded'],
  [forfeited, first, published + 5, 'warning', 'forfeited', 'forfeited'],
  [forfeited, LOSER, published + 5, 'open', 'waiting', 'waiting'],
  [() => forfeited().result(), second, end, 'won', 'won', 'alternate'],
  [
    () => sealedDraw().add({ type: 'cancel', reason: 'shop' }),
    LOSER,
    drawAt - 700,
    'warning',
    'cancelled',
    'cancelled',
  ],
]

test.each(MOMENTS)('what a ticket says first, moment %#', async (draw, number, time, tone, head, text) => {
  const now = draw()
  if (now.leaves.length > sealed.leaves.length) now.checkpoint(time)
  publish(now, number)
  const { shown } = await find(fragmentOf(now, number))
  expect(viewOf({ shown }, false)).toEqual({ tone, head, text })
})

test('from the instant of the round on a ticket waits for it', async () => {
  publish(sealed, LOSER)
  const { shown } = await find()
  expect(viewOf({ shown }, true)).toEqual({ tone: 'open', head: 'drawing', text: 'drawing' })
})
