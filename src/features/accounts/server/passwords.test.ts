import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Refusal } from '#shared/refusal.ts'
import { PASSWORD_MIN } from '../accounts.rules.ts'
import {
  type HashQueue,
  PASSWORD_SETTINGS,
  createPasswords,
  hashQueue,
  isCommonPassword,
} from './passwords.ts'

const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 2, waiting: 20 }
const passwords = createPasswords(CHEAP)

describe('a stored password', () => {
  test('fits its password only', async () => {
    const stored = await passwords.hash('correct horse')
    expect(await passwords.verify('correct horse', stored)).toEqual({ right: true, outdated: false })
    for (const wrong of ['correct horse ', 'Correct horse', '', 'correct horse\0']) {
      expect(await passwords.verify(wrong, stored)).toEqual({ right: false, outdated: false })
    }
  })

  test('differs each time and names its own cost', async () => {
    const [first, second] = [await passwords.hash('same'), await passwords.hash('same')]
    expect(first).not.toBe(second)
    expect(first).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  })

  test('of another cost fits and is called outdated, but only to who knows the password', async () => {
    const stored = await createPasswords({ ...CHEAP, passes: 3, parallelism: 2, memoryKiB: 64 }).hash('pass')
    expect(await passwords.verify('pass', stored)).toEqual({ right: true, outdated: true })
    expect(await passwords.verify('wrong', stored)).toEqual({ right: false, outdated: false })
  })

  test('written by another Argon2 library fits', async () => {
    // From the reference implementation's own test vectors: 64 MiB, two passes, salt "somesalt".
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await passwords.verify('password', reference)).toEqual({ right: true, outdated: true })
  })

  test.each([
    undefined,
    '',
    '!',
    'plain text',
    '$argon2id$v=19$m=8,t=1,p=1$$',
    '$2b$10$abcdefghijklmnopqrstuv',
  ])('that is %j fits nothing', async (stored) => {
    expect(await passwords.verify('plain text', stored)).toEqual({ right: false, outdated: false })
  })

  test('costs at least what OWASP asks for', () => {
    expect(PASSWORD_SETTINGS.memoryKiB).toBeGreaterThanOrEqual(19 * 1024)
    expect(PASSWORD_SETTINGS.passes).toBeGreaterThanOrEqual(2)
  })
})

describe('the queue', () => {
  const gate = () => {
    const waiting: (() => void)[] = []
    let most = 0
    let running = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => waiting.push(resolve))
      running -= 1
    }
    const open = async (count: number) => {
      for (let done = 0; done < count; done += 1) {
        waiting.shift()?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return { work, open, most: () => most }
  }

  test('never runs more at once, lets some wait in order, refuses the rest', async () => {
    const { work, open, most } = gate()
    const queue = hashQueue({ concurrent: 2, waiting: 3 })
    const order: number[] = []
    const all = Array.from({ length: 7 }, (_, index) => queue('one', work).then(() => order.push(index)))
    const outcome = Promise.allSettled(all)
    await open(7)
    const states = await outcome
    expect(states.map(({ status }) => status)).toEqual([
      ...Array(5).fill('fulfilled'),
      'rejected',
      'rejected',
    ])
    expect([most(), order]).toEqual([2, [0, 1, 2, 3, 4]])
    const refusal = states[5]?.status === 'rejected' && (states[5].reason as unknown)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ status: 429, code: 'auth.busy', options: { retryAfter: 2 } })
  })

  /** A storm of one network, one under way and three in line, and what became of it. */
  function storm(queue: HashQueue, work: () => Promise<void>) {
    const order: string[] = []
    const ask = (network: string, name: string) =>
      queue(network, work).then(
        () => void order.push(name),
        (error: Refusal) => void order.push(`${name} ${error.code}`),
      )
    const asked = [1, 2, 3, 4].map((number) => ask('storm', `storm ${number}`))
    return { order, ask, asked }
  }

  test('serves the networks in turn: one that waits in a long line keeps another waiting for one turn', async () => {
    const { work, open } = gate()
    const { order, ask, asked } = storm(hashQueue({ concurrent: 1, waiting: 20 }), work)
    const others = [ask('calm', 'calm 1'), ask('calm', 'calm 2'), ask('late', 'late 1')]
    await open(7)
    await Promise.all([...asked, ...others])
    expect(order).toEqual(['storm 1', 'storm 2', 'calm 1', 'late 1', 'storm 3', 'calm 2', 'storm 4'])
  })

  test('that is full gives who comes from elsewhere the last place of the longest line', async () => {
    const { work, open } = gate()
    const { order, ask, asked } = storm(hashQueue({ concurrent: 1, waiting: 3 }), work)
    const others = [ask('storm', 'storm 5'), ask('calm', 'calm 1'), ask('late', 'late 1')]
    // Now each has one in line, and nobody would have fewer after another one.
    others.push(ask('calm', 'calm 2'), ask('last', 'last 1'))
    await open(4)
    await Promise.all([...asked, ...others])
    expect(order.filter((name) => name.endsWith('auth.busy')).toSorted()).toEqual([
      'calm 2 auth.busy',
      'last 1 auth.busy',
      'storm 3 auth.busy',
      'storm 4 auth.busy',
      'storm 5 auth.busy',
    ])
    expect(order.filter((name) => !name.endsWith('auth.busy'))).toEqual([
      'storm 1',
      'storm 2',
      'calm 1',
      'late 1',
    ])
  })

  test('is empty again after turns, refusals and places given up', async () => {
    const { work, open } = gate()
    const queue = hashQueue({ concurrent: 1, waiting: 3 })
    for (let round = 0; round < 3; round += 1) {
      const { ask, asked, order } = storm(queue, work)
      asked.push(ask('calm', 'calm 1'))
      await open(4)
      await Promise.all(asked)
      expect(order.toSorted()).toEqual(['calm 1', 'storm 1', 'storm 2', 'storm 3', 'storm 4 auth.busy'])
    }
  })

  test('goes on after work that fails', async () => {
    const queue = hashQueue({ concurrent: 1, waiting: 1 })
    const failing = () => Promise.reject(new Error('broken'))
    const outcomes = await Promise.allSettled([queue('one', failing), queue('one', failing)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await queue('one', async () => 'works')).toBe('works')
  })
})

test('the list of common passwords has thousands of passwords that an account could have, each once', () => {
  const words = brotliDecompressSync(readFileSync(new URL('common-passwords.br', import.meta.url)))
    .toString()
    .split('\n')
  expect(words.length).toBeGreaterThan(3_000)
  expect(new Set(words).size).toBe(words.length)
  expect(words.filter((word) => word.length < PASSWORD_MIN || word !== word.toLowerCase())).toEqual([])
})

test.each([
  ['password', true],
  ['PassWord', true],
  ['12345678', true],
  ['Password1!', true],
  ['P@ssw0rd', true],
  ['Wachtwoord2026!', true],
  ['Sunshine#7', true],
  ['Correct1!', false],
  ['correct horse battery', false],
  ['Tulipes-de-mai7!', false],
  ['', false],
])('%j is common: %s', (password, isIt) => {
  expect(isCommonPassword(password)).toBe(isIt)
})
