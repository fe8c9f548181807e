import { type Socket, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { pictureProcesses } from './picture-processes.ts'

const file = fileURLToPath(new URL('./picture-processes.test-support.ts', import.meta.url))
const [ENVIRONMENT, CRASH, HANG] = [Buffer.from([1]), Buffer.from([2]), Buffer.from([3])]

/** Works that are under way. */
const running: Socket[] = []
const arrivals: ((socket: Socket) => void)[] = []
const gate = createServer((socket) => {
  running.push(socket)
  arrivals.shift()?.(socket)
})
await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
afterAll(() => gate.close())
const { port } = gate.address() as { port: number }
const WAITS = Buffer.from([0, port >> 8, port & 255])
const arrival = () => new Promise<Socket>((resolve) => void arrivals.push(resolve))
const release = () => running.shift()?.end()

test('at most two pictures are decoded at once, six more wait, and the next is refused for the moment', async () => {
  const { clean } = pictureProcesses({ file })
  const begun = [arrival(), arrival()]
  const works = Array.from({ length: 8 }, () => clean(WAITS))
  await expect(clean(WAITS)).rejects.toMatchObject({ status: 503, options: { retryAfter: 5 } })
  await Promise.all(begun)
  for (let left = 8; left > 0; left -= 1) {
    expect(running).toHaveLength(Math.min(2, left))
    const next = left > 2 ? arrival() : undefined
    release()
    await next
  }
  const pids = await Promise.all(works)
  expect(new Set(pids).size).toBe(2)
})

const reasonsOf = (works: Promise<unknown>[]) =>
  Promise.all(works.map((one) => one.catch(({ reason }: { reason: string }) => reason)))

test('a process that crashes fails its own work alone, and the next one knows no secret', async () => {
  const { clean } = pictureProcesses({ file })
  const works = [CRASH, CRASH, CRASH, ENVIRONMENT].map((input) => clean(input))
  expect(await reasonsOf(works)).toEqual(['crashed', 'crashed', 'crashed', {}])
})

test('a process that does not respond in time is killed, and makes place for the next', async () => {
  const { clean } = pictureProcesses({ file, limitMs: 300 })
  const works = [HANG, HANG, HANG].map((input) => clean(input))
  expect(await reasonsOf(works)).toEqual(['timeout', 'timeout', 'timeout'])
})

test('a process that cannot start fails its own work, keeps the shop running and takes no place', async () => {
  const { clean } = pictureProcesses({ file, execPath: '/nonexistent/node' })
  const works = Array.from({ length: 5 }, () => clean(ENVIRONMENT))
  expect(await reasonsOf(works)).toEqual(Array(5).fill('crashed'))
})
