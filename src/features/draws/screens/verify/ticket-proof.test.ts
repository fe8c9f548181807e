import { sha256 } from '@noble/hashes/sha2.js'
import { afterEach, expect, test, vi } from 'vitest'
import { type LeafQuestion, checkLeaf } from '#draw-protocol/check.ts'
import { proofFragment } from '#draw-protocol/commitments.ts'
import { LOSER } from '#draw-protocol/cheats.test-support.ts'
import { leafResponse, secretOf, sealedDraw } from '#draw-protocol/draw.test-support.ts'
import { proofOf } from './ticket-proof.tsx'

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

const proof = proofFragment({ number: LOSER, ...secretOf(LOSER) })
const find = (text = proof) => proofOf('berline-bleue', text, localWorker, never)

test('only the number of a proof link is sent', async () => {
  const draw = sealedDraw()
  const terms = draw.pack().get('terms.txt')! as BodyInit
  responding({ [`leaf?number=${LOSER}`]: JSON.stringify(leafResponse(draw, LOSER)), 'terms.txt': terms })
  expect(await find()).toMatchObject({ outcome: 'found', number: LOSER, listed: 'valid', end: 'undrawn' })
  // No list is read, however long it is.
  expect(asked.map((address) => address.split('/').at(-1))).toEqual([`leaf?number=${LOSER}`, 'terms.txt'])
  for (const part of proof.slice(1).split('.').slice(1)) expect(asked.join(' ')).not.toContain(part)
})

test('what cannot be had is told apart from what is not there', async () => {
  responding({})
  expect(await find()).toEqual({ outcome: 'absent', number: LOSER })
  responding({ [`leaf?number=${LOSER}`]: 503 })
  expect(await find()).toEqual({ outcome: 'unreachable' })
  expect(await find('#a.b.c')).toEqual({ outcome: 'malformed' })
})
