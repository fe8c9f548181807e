import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { randomnessOf } from '#platform/beacon/verify-round.ts'
import { timeOfRound } from '#draw-protocol/beacon.ts'
import { toBytes, toHex, toText } from '#draw-protocol/bytes.ts'
import { commitmentOf } from '#draw-protocol/commitments.ts'
import { BEACON, TERMS, secretOf, signRound } from '#draw-protocol/draw.test-support.ts'
import type { ListRow } from '#draw-protocol/lists.ts'
import { verifyDraw } from '#draw-protocol/verify.ts'
import type { DrawDurations } from '../draws-deps.ts'
import { logKeyOf } from '../log-key.ts'
import { makeRehearsal, planRehearsal } from './rehearsal-pack.ts'
import { sha256 } from '../sha256.ts'

const NOW = 1_800_000_000
const DURATIONS: DrawDurations = {
  objections: 86_400,
  sealMargin: 7_200,
  beaconPatience: 604_800,
  claim: 604_800,
  alternateDelay: 86_400,
  notice: 3_600,
  alternatesDecided: 3,
}
const KEY = logKeyOf('5e'.repeat(32))
const VERIFIER = new URL('../../../../../tools/verify-draw.py', import.meta.url).pathname
const folder = temporaryFolder('rehearsals', 'file')

const entry = (number: number, more: Partial<ListRow> = {}): ListRow => ({
  number,
  kind: 'paid',
  commitment: toHex(commitmentOf(secretOf(number), sha256)),
  voided: null,
  ...more,
})

async function rehearse(entries: readonly ListRow[], alternate: boolean) {
  const plan = planRehearsal(DURATIONS, BEACON, { alternate, now: NOW })
  if (typeof plan === 'number') throw new Error('the beacon of the test is too young')
  const rounds = [plan.round, ...(plan.alternate ? [plan.alternate.round] : [])].map((round) => {
    const signature = signRound(round)
    return { round, signature, randomness: randomnessOf(signature), relay: 'https://relay.example' }
  })
  const question = toBytes('Combien de roues ?\nTrois\nQuatre\n')
  const pack = await makeRehearsal({
    terms: {
      ...TERMS,
      ...DURATIONS,
      rehearsal: true,
      closes: plan.closes,
      draw: plan.draw,
      beacon: { ...BEACON, round: plan.round },
      logKey: KEY.verifierKey(TERMS.host),
      texts: { fr: null, nl: null, en: null },
      question: toHex(sha256(question)),
    },
    texts: new Map([['question.txt', question]]),
    entries,
    plan,
    rounds,
    key: KEY,
    readme: 'rehearsal-volant-evidence-v1\n',
    statement: 'Nobody claimed the prize.\n',
  })
  return { plan, ...pack }
}

/** What the program in Python says of the files; null where there is no Python. */
function secondVerifier(name: string, files: ReadonlyMap<string, Uint8Array>) {
  const home = path.join(folder, name)
  mkdirSync(home, { recursive: true })
  for (const [file, content] of files) writeFileSync(path.join(home, file), content)
  return new Promise<{ steps: { step: string; state: string }[]; remarks: { code: string }[] } | null>(
    (resolve, reject) => {
      execFile('python3', ['-B', VERIFIER, '--json', home], (error, stdout) =>
        error?.code === 'ENOENT'
          ? resolve(null)
          : typeof error?.code === 'string'
            ? reject(error)
            : resolve(JSON.parse(stdout)),
      )
    },
  )
}

const TWELVE = [1, 2, 3, 7, 9, 12, 18, 27, 31, 40, 44, 50].map((number) => entry(number))
const VOIDS = TWELVE.map((row, at) =>
  at % 4 === 0
    ? { ...row, voided: 'refunded' as const }
    : at % 5 === 0
      ? { ...row, kind: 'postal' as const }
      : row,
)
const STEPS = 'pack terms log checkpoints register list seal beacon winner forfeitures end'

const CASES: [what: string, entries: readonly ListRow[], alternate: boolean, open: string][] = [
  ['twelve entries', TWELVE, false, 'forfeitures'],
  ['twelve entries and an alternate', TWELVE, true, ''],
  ['voids and cards', VOIDS, true, ''],
  ['one entry', [entry(50)], false, 'forfeitures'],
  // No row is left for the alternate: the contest ends.
  ['one entry that is not claimed', [entry(50)], true, ''],
  ['no entries', [], false, 'beacon winner forfeitures'],
  ['voids only', [entry(3, { voided: 'disputed' })], true, 'beacon winner forfeitures'],
]

describe.each(CASES)('a rehearsal with %s', async (what, entries, alternate, open) => {
  const { files, facts, plan } = await rehearse(entries, alternate)

  test('is right to both verifiers, which say that it is a rehearsal', async () => {
    const verification = await verifyDraw(files, { sha256 })
    const failed = verification.steps.filter(({ outcome }) => outcome === 'failed')
    expect(failed).toEqual([])
    const passed = verification.steps.filter(({ outcome }) => outcome === 'passed').map(({ step }) => step)
    expect(passed.join(' ')).toBe(
      STEPS.split(' ')
        .filter((step) => !open.split(' ').includes(step))
        .join(' '),
    )
    expect(verification.remarks.map(({ code }) => code)).toEqual(['rehearsal', 'demonstration'])
    const second = await secondVerifier(what.replaceAll(' ', '-'), files)
    if (!second) return
    expect(second.steps.map(({ step, state }) => `${step} ${state}`)).toEqual(
      verification.steps.map(({ step, outcome }) => `${step} ${outcome}`),
    )
    expect(second.remarks.map(({ code }) => code)).toEqual(['rehearsal', 'demonstration'])
  })

  test('is marked in every file but those that people write and those of the beacon', () => {
    const unmarked = [...files].filter(([name, content]) => {
      const text = toText(content)
      if (name === 'log.txt' || name === 'register.txt')
        return text
          .trimEnd()
          .split('\n')
          .some((leaf) => !leaf.startsWith('rehearsal-volant-'))
      if (name === 'checkpoints.txt') return !text.startsWith('volant.example/rehearsals/berline-bleue\n')
      if (name === 'register-checkpoints.txt') return !text.startsWith('volant.example/rehearsals\n')
      return !/^(?:beacon|question|statement)/.test(name) && !text.startsWith('rehearsal-volant-')
    })
    expect(unmarked.map(([name]) => name)).toEqual([])
    expect(toText(files.get('checkpoints.txt')!)).not.toContain('/draws/')
  })

  test('is over, and its pages say what its files say', async () => {
    expect(plan.ends).toBeLessThan(NOW)
    const { winners } = await verifyDraw(files, { sha256 })
    expect(facts.attempts.map(({ drawn }) => drawn?.number)).toEqual(winners.map(({ number }) => number))
    expect(facts.files.map(({ name }) => name)).toEqual(
      [...files.keys()]
        .filter((name) => !/^(?:README|log|checkpoints|register|register-checkpoints)\./.test(name))
        .toSorted(),
    )
    expect(facts.sealed?.hash).toBe(toHex(sha256(files.get('list.txt')!)))
    const hasWinner = winners.some(({ isForfeited }) => !isForfeited)
    expect([facts.state, facts.cancelled?.reason]).toEqual(
      hasWinner ? ['drawn', undefined] : ['cancelled', 'no-entries'],
    )
  })
})

test('the winners of an alternate differ, and draw again from the same list', async () => {
  const { facts } = await rehearse(TWELVE, true)
  const [first, second] = facts.attempts.map(({ drawn }) => drawn)
  expect(first?.number).not.toBe(second?.number)
  expect([first?.remaining, second?.remaining]).toEqual([12, 11])
})

test('a beacon without rounds so old says how long to wait', () => {
  const young = { ...BEACON, genesis: NOW - 1_000 }
  const wait = planRehearsal(DURATIONS, young, { alternate: true, now: NOW })
  expect(wait).toBeGreaterThan(DURATIONS.claim)
  const later = NOW + Number(wait)
  const plan = planRehearsal(DURATIONS, young, { alternate: true, now: later })
  expect(plan).toMatchObject({ round: 1, draw: young.genesis })
  expect(timeOfRound(young, 1)).toBe(young.genesis)
})
