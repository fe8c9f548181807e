import { once } from 'node:events'
import { type RequestListener, type Server, createServer } from 'node:http'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { closeUnread } from './unread-responses.ts'

/** Far above what the system takes over for a reader who reads nothing. */
const LARGE = 32 * 1024 * 1024

async function serve(respond: RequestListener, bytesPerSecond = LARGE * 100): Promise<Server> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  closeUnread(server, { milliseconds: 100, bytesPerSecond })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

function ask(server: Server): Socket {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: shop\r\n\r\n'))
  return socket.on('error', () => undefined).pause()
}

test.each<[string, RequestListener]>([
  ['whole', (_, response) => void response.end(Buffer.alloc(LARGE))],
  [
    'in parts',
    (_, response) =>
      void Readable.from(Array.from({ length: 512 }, () => Buffer.alloc(65_536))).pipe(response),
  ],
])('closes a connection whose other side does not read a response that is sent %s', async (_, listener) => {
  const isClosed = Promise.withResolvers<boolean>()
  const server = await serve((request, response) => {
    response.once('close', () => isClosed.resolve(response.writableFinished))
    listener(request, response)
  })
  ask(server)
  expect(await isClosed.promise).toBe(false)
})

test('waits for a response that takes its time, and for a reader who reads a little at a time', async () => {
  const late: RequestListener = (_, response) => void setTimeout(() => response.end(Buffer.alloc(LARGE)), 300)
  const socket = ask(await serve(late, LARGE / 60))
  let bytes = 0
  for await (const part of socket) {
    bytes += (part as Buffer).length
    if (bytes > LARGE) break
    await sleep(1)
  }
  expect(bytes).toBeGreaterThan(LARGE)
})
