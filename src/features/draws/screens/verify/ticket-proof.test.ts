import { sha256 } from '@noble/hashes/sha2.js'
import { afterEach, expect, test, vi } from 'vitest'
import { type LeafQuestion, checkLeaf } from '../../protocol/check.ts'
import { proofFragment } from '../../protocol/commitments.ts'
import { LOSER } from '../../protocol/cheats.test-pack.ts'
import { secretOf, sealedDraw } from '../../protocol/draw.test-pack.ts'
import { listRow, proofOf } from './ticket-proof.tsx'

afterEach(() => vi.unstubAllGlobals())

const never = new AbortController().signal
const asked: string[] = []

/** Answers calls by the end of their address. */
function answering(answers: Record<string, BodyInit | number>): void {
  asked.length = 0
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const [, answer = 404] = Object.entries(answers).find(([end]) => address.endsWith(end)) ?? []
    return Promise.resolve(
      typeof answer === 'number' ? new Response('', { status: answer }) : new Response(answer),
    )
  })
}

/** A worker that answers in this process. */
function localWorker(): Worker {
  const target = new EventTarget()
  return Object.assign(target, {
    postMessage: (question: LeafQuestion) =>
      void target.dispatchEvent(
        Object.assign(new Event('message'), {
          data: { type: 'leaf', answer: checkLeaf(question, sha256) },
        }),
      ),
    terminate: () => undefined,
  }) as unknown as Worker
}

const proof = proofFragment({ number: LOSER, ...secretOf(LOSER) })
const find = (text = proof) => proofOf('berline-bleue', text, localWorker, never)

test('only the number of a proof link is sent', async () => {
  const terms = sealedDraw().pack().get('terms.txt')! as BodyInit
  const leaf = JSON.stringify({ index: 0, leaf: 'x', size: 1, proof: [], checkpoint: 'x' })
  answering({ [`leaf?number=${LOSER}`]: leaf, 'terms.txt': terms })
  expect(await find()).toEqual({ outcome: 'unproven', number: LOSER })
  expect(asked.length).toBe(3)
  for (const part of proof.slice(1).split('.').slice(1)) expect(asked.join(' ')).not.toContain(part)
})

test('what cannot be had is told apart from what is not there', async () => {
  answering({})
  expect(await find()).toEqual({ outcome: 'absent', number: LOSER })
  answering({ [`leaf?number=${LOSER}`]: 503 })
  expect(await find()).toEqual({ outcome: 'unreachable' })
  expect(await find('#a.b.c')).toEqual({ outcome: 'malformed' })
})

test('the row of a number is found in the sealed list, which is read no further', async () => {
  const list = sealedDraw().pack().get('list.txt')!
  const inParts = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < list.length; at += 50) controller.enqueue(list.subarray(at, at + 50))
        controller.close()
      },
    })
  const row = async (number: number): Promise<string | null> => {
    answering({ 'list.txt': inParts() as unknown as BodyInit })
    return await listRow('/draws/x/list.txt', number, never)
  }
  expect(await row(44)).toMatch(/^44\tpaid\t[0-9a-f]{64}\tvalid$/)
  expect(await row(31)).toMatch(/^31\tpaid\t[0-9a-f]{64}\tvoid:refunded$/)
  expect(await row(50)).toMatch(/^50\t/)
  expect([await row(45), await row(1)]).toEqual(['', ''])
  answering({})
  expect(await listRow('/draws/x/list.txt', 44, never)).toBeNull()
})
