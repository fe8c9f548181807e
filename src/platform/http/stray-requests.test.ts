import { once } from 'node:events'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { limitBodies, strayRequests } from './stray-requests.ts'

test('a slow body is cut off with 408, a slow upload is not', async () => {
  const app = Fastify(strayRequests({}))
  onTestFinished(() => app.close())
  limitBodies(app as never, 50)
  app.post('/call', async () => 'called')
  app.post('/upload', { config: { isUpload: true } as never }, async () => 'uploaded')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const begin = async (path: string, length: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST ${path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-type: text/plain`
    socket.write(`${head}\r\n${length}\r\n\r\n`)
    return socket
  }
  const upload = await begin('/upload', 'content-length: 4')
  for (const length of ['content-length: 4', 'transfer-encoding: chunked'])
    expect(await text(await begin('/call', length))).toMatch(/^HTTP\/1\.1 408 /)
  upload.write('late')
  expect(await text(upload)).toMatch(/^HTTP\/1\.1 200 /)
  const headers = { 'content-type': 'text/plain' }
  const inside = app.inject({ method: 'POST', url: '/call', headers, payload: 'x' })
  expect((await inside).body).toBe('called')
  const whole = await begin('/call', 'content-length: 4')
  whole.write('soon')
  expect(await text(whole)).toMatch(/called$/)
  await sleep(100)
})
