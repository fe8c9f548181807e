import { createHash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test, vi } from 'vitest'
import { sized } from '../../../../test/support/tier.ts'
import { TestDraw, sealedDraw, wholeDraw } from './draw.test-pack.ts'
import { type DrawFiles, type Verification, verifyDraw } from './verify.ts'

/** Answers of the same question are kept: these tests verify almost the same draw hundreds of times. */
const memory = vi.hoisted(() => {
  const answers = new Map<string, boolean>()
  return <A extends unknown[]>(ask: (...args: A) => boolean) =>
    (...args: A): boolean => {
      const key = JSON.stringify(args, (_, value: unknown) =>
        value instanceof Uint8Array ? [...value] : value,
      )
      if (!answers.has(key)) answers.set(key, ask(...args))
      return answers.get(key)!
    }
})
vi.mock('./beacon.ts', async (original) => {
  const beacon = await original<typeof import('./beacon.ts')>()
  const ask = memory((question: Parameters<typeof beacon.isRoundSignature>[0]) =>
    beacon.isRoundSignature(question, sha256),
  )
  return { ...beacon, isRoundSignature: ask }
})
vi.mock('@noble/curves/ed25519.js', async (original) => {
  const { ed25519 } = await original<typeof import('@noble/curves/ed25519.js')>()
  return { ed25519: { ...ed25519, verify: memory(ed25519.verify) } }
})

const outcomes = ({ steps }: Verification): string[] =>
  steps.map((one) =>
    one.outcome === 'failed'
      ? `${one.step}: ${one.code} in ${one.file}:${one.line}`
      : one.outcome === 'skipped'
        ? `${one.step}: skipped, ${one.why}`
        : one.step,
  )

const failures = (verification: Verification): string[] =>
  outcomes(verification).filter((line) => line.includes(' in '))

const PASSED = [
  'pack',
  'terms',
  'log',
  'checkpoints',
  'list',
  'seal',
  'beacon',
  'winner',
  'forfeitures',
  'end',
]

test('a whole draw passes every step and says who won', async () => {
  const draw = wholeDraw()
  const verification = await verifyDraw(draw.pack())
  expect(outcomes(verification)).toEqual(PASSED)
  expect(verification.remarks.map(({ code }) => code)).toEqual(['chain-unknown', 'entries-after-list'])
  expect(verification.winners.map(({ number, isForfeited }) => [number, isForfeited])).toEqual([
    [draw.results[0]!.number, true],
    [draw.results[1]!.number, false],
  ])
})

/** Node's SHA-256 in the form that the core takes. */
const nodeSha256 = Object.assign(
  (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest(),
  { create: () => createHash('sha256') },
)

/** The first step that must fail when a file is changed, and where the fault is then. */
const STEP_OF: [RegExp, string][] = [
  [/^README\.txt$/, 'pack'],
  [/^(terms|question|text-en)\.txt$/, 'terms'],
  [/^log\.txt$/, 'log'],
  [/^checkpoints\.txt$/, 'checkpoints'],
  [/^(provisional|list)\.txt$/, 'list'],
  [/^beacon-\d\.json$/, 'beacon'],
  [/^result-\d\.txt$/, 'winner'],
  [/^(forfeiture|statement)-\d\.txt$/, 'forfeitures'],
]

const linesOf = (bytes: Uint8Array): { start: number; end: number }[] => {
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
  return ends.map((end, line) => ({ start: line === 0 ? 0 : ends[line - 1]! + 1, end: end + 1 }))
}

test('a changed byte in any line of any file fails the step of that file', async () => {
  const pack = wholeDraw().pack()
  pack.set('question.txt', new TextEncoder().encode('Combien de roues ?\nTrois\nQuatre\n'))
  pack.set('text-en.txt', new TextEncoder().encode('Further terms.\n'))
  expect(failures(await verifyDraw(pack))).toEqual([])
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (const [file, bytes] of pack) {
    const step = STEP_OF.find(([pattern]) => pattern.test(file))![1]
    for (const [line, { start, end }] of linesOf(bytes).entries()) {
      const places = sized({
        short: [start + random(end - start)],
        extended: Array.from({ length: end - start }, (_, at) => start + at),
      })
      for (const at of places) {
        const changed = bytes.slice()
        changed[at] = changed[at] === 0x31 ? 0x32 : 0x31
        const verification = await verifyDraw(new Map(pack).set(file, changed), { sha256: nodeSha256 })
        const first = verification.steps.find(({ outcome }) => outcome === 'failed')
        const what = `byte ${at} of ${file}, line ${line + 1}: ${failures(verification).join(', ')}`
        if (first?.outcome !== 'failed') throw new Error(`not found: ${what}`)
        if (file === 'log.txt') expect(['terms', 'log', 'checkpoints'], what).toContain(first.step)
        else expect([first.step, first.file], what).toEqual([step, file])
        if (/^(provisional|list|result-\d)\.txt$/.test(file)) expect(first.line, what).toBe(line + 1)
      }
    }
  }
})
