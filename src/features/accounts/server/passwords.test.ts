import { describe, expect, test } from 'vitest'
import { Refusal } from '#shared/refusal.ts'
import { type HashQueue, PASSWORD_SETTINGS, createPasswords, hashQueue } from './passwords.ts'

const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 2, waiting: 20 }
const passwords = createPasswords(CHEAP)

describe('a password hash', () => {
  test('matches its password only', async () => {
    const stored = await passwords.hash('correct horse')
    expect(await passwords.verify('correct horse', stored)).toEqual({ right: true, outdated: false })
    for (const wrong of ['correct horse ', 'Correct horse', '', 'correct horse\0']) {
      expect(await passwords.verify(wrong, stored)).toEqual({ right: false, outdated: false })
    }
  })

  test('has a new salt each time, and contains its cost', async () => {
    const [first, second] = [await passwords.hash('same'), await passwords.hash('same')]
    expect(first).not.toBe(second)
    expect(first).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  })

  test('of another cost matches and is outdated, but only for the right password', async () => {
    const stored = await createPasswords({ ...CHEAP, passes: 3, parallelism: 2, memoryKiB: 64 }).hash('pass')
    expect(await passwords.verify('pass', stored)).toEqual({ right: true, outdated: true })
    expect(await passwords.verify('wrong', stored)).toEqual({ right: false, outdated: false })
  })

  test('of another Argon2 library matches', async () => {
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
  ])('of the form %j matches nothing', async (stored) => {
    expect(await passwords.verify('plain text', stored)).toEqual({ right: false, outdated: false })
  })

  test('costs at least the minimum of OWASP', () => {
    expect(PASSWORD_SETTINGS.memoryKiB).toBeGreaterThanOrEqual(19 * 1024)
    expect(PASSWORD_SETTINGS.passes).toBeGreaterThanOrEqual(2)
  })
})

describe('the queue', () => {
  /** Work that ends when the test says so. */
  const gate = () => {
    const waiting: (() => void)[] = []
    let [most, running] = [0, 0]
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

  /** Asks for named work: "storm 1" comes from the network "storm". What is refused has its code behind its name. */
  async function outcomes(queue: HashQueue, names: readonly string[]) {
    const { work, open, most } = gate()
    const [done, refused]: [string[], Refusal[]] = [[], []]
    const asked = names.map((name) =>
      queue(name.split(' ')[0] ?? '', work).then(
        () => void done.push(name),
        (error: Refusal) => void refused.push(Object.assign(error, { name })),
      ),
    )
    await open(names.length)
    await Promise.all(asked)
    return { done, refused: refused.map(({ name }) => name).toSorted(), refusals: refused, most: most() }
  }
  const storm = ['storm 1', 'storm 2', 'storm 3', 'storm 4']

  test('runs a limited number at once in order, and refuses those beyond its places', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `one ${index}`)
    const { done, refusals, most } = await outcomes(hashQueue({ concurrent: 2, waiting: 3 }), names)
    expect([most, done]).toEqual([2, names.slice(0, 5)])
    const refusal = { status: 429, code: 'auth.busy', options: { retryAfter: 2 } }
    expect(refusals).toMatchObject([refusal, refusal])
    expect(refusals[0]).toBeInstanceOf(Refusal)
  })

  test('serves the networks in turn', async () => {
    const queue = hashQueue({ concurrent: 1, waiting: 20 })
    const { done } = await outcomes(queue, [...storm, 'calm 1', 'calm 2', 'late 1'])
    expect(done).toEqual(['storm 1', 'storm 2', 'calm 1', 'late 1', 'storm 3', 'calm 2', 'storm 4'])
  })

  test('gives the last place of the longest line to another network when it is full', async () => {
    const queue = hashQueue({ concurrent: 1, waiting: 3 })
    // After "late 1" each network has one place, and no line is longer than a newcomer's.
    const names = [...storm, 'storm 5', 'calm 1', 'late 1', 'calm 2', 'last 1']
    const { done, refused } = await outcomes(queue, names)
    expect(done).toEqual(['storm 1', 'storm 2', 'calm 1', 'late 1'])
    expect(refused).toEqual(['calm 2', 'last 1', 'storm 3', 'storm 4', 'storm 5'])
  })

  test('is empty again after turns, refusals and lost places', async () => {
    const queue = hashQueue({ concurrent: 1, waiting: 3 })
    for (let round = 0; round < 3; round += 1) {
      const { done, refused } = await outcomes(queue, [...storm, 'calm 1'])
      expect(done.toSorted()).toEqual(['calm 1', 'storm 1', 'storm 2', 'storm 3'])
      expect(refused).toEqual(['storm 4'])
    }
  })

  test('continues after work that fails', async () => {
    const queue = hashQueue({ concurrent: 1, waiting: 1 })
    const failing = () => Promise.reject(new Error('broken'))
    const both = await Promise.allSettled([queue('one', failing), queue('one', failing)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await queue('one', async () => 'works')).toBe('works')
  })
})
