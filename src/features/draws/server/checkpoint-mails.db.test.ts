import { expect, test } from 'vitest'
import { drawLab } from './draw-lab.test-support.ts'
import { toBytes } from '#draw-protocol/bytes.ts'
import { checkSignature, parseCheckpoints, parseVerifierKey } from '#draw-protocol/checkpoints.ts'
import { sendCheckpoints } from './checkpoint-mails.ts'
import { sha256 } from './sha256.ts'

const ARCHIVE = 'archive@notary.test'
const lab = await drawLab({ env: { CHECKPOINTS_EMAIL: ARCHIVE } })
const { shop, time } = lab
const DAY = 86_400
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const send = () => sendCheckpoints(shop.db, shop.config)
const mails = () => run('SELECT id, subject FROM emails WHERE recipient = $1 ORDER BY queued_at', [ARCHIVE])
const attachmentOf = async (id: string): Promise<string> => {
  const { body } = await shop.anonymous('GET', `/api/demo/emails/${id}/`)
  const [file] = body['files'] as { name: string; url: string }[]
  expect(file?.name).toMatch(/^checkpoints-\d{4}-\d\d-\d\d\.txt$/)
  return (await shop.app.inject({ method: 'GET', url: file?.url ?? '' })).body
}

test('the checkpoints of all logs leave once a day, whatever number of workers tries, as they were then', async () => {
  expect(await send()).toBeUndefined()
  expect(await mails()).toEqual([])
  const contest = await lab.newContest()
  await shop.paidOrder(2, undefined, contest.id)
  await lab.work()
  const owner = await shop.newStaff('owner')
  expect((await owner.get('/api/staff/system/')).body['checkpoints']).toEqual({
    has_recipient: true,
    last: null,
  })

  await Promise.all([send(), send(), send()])
  const [first, ...others] = await mails()
  expect(others).toEqual([])
  const sent = await attachmentOf(first.id)
  const { key } = (await run('SELECT key FROM draw_logs WHERE id = $1', [contest.id]))[0] as { key: string }
  const read = parseCheckpoints(toBytes(sent))
  const host = new URL(shop.config.publicUrl).host
  expect(read.map(({ origin }) => origin)).toEqual([`${host}/draws`, `${host}/draws/${contest.slug}`])
  for (const one of read) checkSignature(one, parseVerifierKey(key, sha256, 1), one.origin)
  expect(read[1]?.size).toBe(3)

  // What is sent again is what was sent, whatever the log has meanwhile.
  await shop.paidOrder(1, undefined, contest.id)
  await lab.work()
  await send()
  expect(await attachmentOf(first.id)).toBe(sent)
  await run(`UPDATE emails SET state = 'failed', closed_at = now() WHERE id = $1`, [first.id])
  expect((await owner.get('/api/staff/system/')).body['checkpoints']).toMatchObject({
    last: { state: 'failed', sent_at: null },
  })

  await time.goTo(time.seconds() + DAY)
  await lab.work()
  await send()
  const later = await mails()
  expect(later).toHaveLength(2)
  expect(parseCheckpoints(toBytes(await attachmentOf(later[1].id)))[1]?.size).toBeGreaterThan(3)
})

test('without an address nothing leaves', async () => {
  const before = await mails()
  await time.goTo(time.seconds() + DAY)
  await sendCheckpoints(shop.db, { ...shop.config, checkpointsEmail: undefined })
  expect(await mails()).toEqual(before)
})
