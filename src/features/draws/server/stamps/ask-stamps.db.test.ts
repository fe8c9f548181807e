import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { authorityOf } from '#draw-protocol/stamps.test-support.ts'
import { parseTerms } from '#draw-protocol/terms.ts'
import { ConfigFaults, readConfig } from '#server/config.ts'
import { stampsCheck } from '#server/doctor/database.ts'
import { readStampAuthority } from '#server/stamp-authority.ts'
import { startTsaEmulator } from '../../../../../emulators/tsa/server.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { isExtended } from '../../../../../test/support/tier.ts'
import { drawLab } from '../draw-lab.test-support.ts'
import { sha256 } from '../sha256.ts'
import { stampAsking } from './ask-stamps.ts'

const lab = await drawLab({ isStamped: true })
const { shop, tsa, time, stamp, work, newContest, goOn } = lab

const rows = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const get = (slug: string, name: string) => shop.app.inject({ method: 'GET', url: `/draws/${slug}/${name}` })
const stampsOf = async ({ id }: { id: number }): Promise<string[]> =>
  (await rows('SELECT name FROM draw_stamps WHERE offer_id = $1 ORDER BY name', [id])).map(({ name }) => name)
const alerts = () =>
  rows(`SELECT subject, details->>'reason' AS reason FROM alerts
        WHERE kind = 'stampsMissing' AND resolved_at IS NULL ORDER BY id`)
const misbehave = (behaviour: Parameters<typeof tsa.behave>[0], delayMs?: number): void => {
  tsa.behave(behaviour, delayMs)
  onTestFinished(() => tsa.behave('honest'))
}
const checked = async (now?: () => number) => {
  const { state, says } = await stampsCheck(shop.db, shop.draws.stamps, now)()
  return `${state} ${says}`
}

test('terms name an authority, and the terms and the sealed list of a draw are stamped by it', async () => {
  const contest = await newContest()
  await shop.paidOrder(1, undefined, contest.id)
  const { slug, id } = contest
  const packTag = async () => (await get(slug, `${slug}-evidence.zip`)).headers.etag
  const unstamped = await packTag()
  await work()
  expect(await stampsOf(contest)).toEqual(['terms.tsr'])
  expect(await packTag()).not.toBe(unstamped)
  await goOn(contest, 'draw')
  expect([await stampsOf(contest), await alerts(), await checked()]).toEqual([
    ['seal.tsr', 'terms.tsr'],
    [],
    'ok given',
  ])

  const { files, open, voucher } = await lab.evidenceOf(slug)
  expect(open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(voucher).toMatchObject({ by: 'stamps' })
  const authority = files.get('authority.pem')!
  expect(Buffer.from(authority)).toEqual(readFileSync(tsa.certificates))
  expect(parseTerms(files.get('terms.txt')!, sha256).stampAuthority).toBe(
    Buffer.from(sha256(authority)).toString('hex'),
  )
  const folder = temporaryFolder()
  for (const [stamped, name, type] of [
    ['', 'authority.pem', 'application/x-pem-file'],
    ['terms.txt', 'terms.tsr', 'application/timestamp-reply'],
    ['list.txt', 'seal.tsr', 'application/timestamp-reply'],
  ] as const) {
    const { headers, rawPayload } = await get(slug, name)
    expect([headers['content-type'], rawPayload]).toEqual([type, Buffer.from(files.get(name)!)])
    const file = path.join(folder, name)
    writeFileSync(file, rawPayload)
    if (!stamped) continue
    const hash = Buffer.from(sha256(files.get(stamped)!)).toString('hex')
    const words = `ts -verify -digest ${hash} -in ${file} -CAfile ${folder}/authority.pem -partial_chain`
    expect(execFileSync('openssl', words.split(' '), { encoding: 'utf8', stdio: 'pipe' })).toContain('OK')
  }
  for (const change of [
    'UPDATE draw_stamps SET name = name',
    'DELETE FROM draw_stamps',
    'TRUNCATE draw_stamps',
  ])
    await expect(rows(change), change).rejects.toThrow('refused')
  const [{ stamped_at }] = await rows(`SELECT stamped_at FROM draw_stamps WHERE offer_id = $1 LIMIT 1`, [id])
  expect(Math.abs(stamped_at.getTime() - Date.now())).toBeLessThan(60_000)
})

const MOODS = [
  ['refuses', 'no time stamp'],
  ['other-file', 'a time stamp of another file'],
  ['other-request', 'the answer to another request'],
  ['foreign', 'not a valid time stamp of the authority that the terms name'],
  ['expired', 'not a valid time stamp of the authority that the terms name'],
  ['redirect', 'status 302'],
  ['error', 'status 500'],
  ['garbage', 'no time stamp'],
  ['huge', 'more than 65536 bytes'],
  ['endless', 'more than 65536 bytes'],
  ['hanging', 'no answer in 1000 ms'],
] as const

test.each(MOODS.filter(([, fault], at) => isExtended || MOODS.findIndex(([, one]) => one === fault) === at))(
  'an authority that does "%s" holds up nobody, an alert tells it after some minutes, and it is asked again',
  async (behaviour, fault) => {
    misbehave(behaviour)
    const contest = await newContest({
      end_date: new Date((time.seconds() + 86_400) * 1000),
      draw_at: new Date((time.seconds() + 172_800) * 1000),
    })
    const own = async () => (await alerts()).filter(({ subject }) => subject === contest.slug)
    await stamp()
    expect([await stampsOf(contest), await own()]).toEqual([[], []])
    await time.goTo(time.seconds() + 301)
    await stamp()
    expect([await own(), await checked()]).toEqual([
      [{ subject: contest.slug, reason: fault }],
      'warning missing',
    ])
    tsa.behave('honest')
    await stamp()
    expect([await stampsOf(contest), await own(), await checked()]).toEqual([['terms.tsr'], [], 'ok given'])
  },
)

test('a slow authority is asked once at a time, a failure is followed by a pause, and of two stamps the first stays', async () => {
  const contest = await newContest()
  const run = stampAsking(shop.draws, { timeoutMs: 5_000, runMs: 100 })
  misbehave('error')
  const { calls } = tsa.counts
  await Promise.all([run(), run()])
  await run()
  expect(tsa.counts.calls - calls).toBe(1)
  misbehave('honest', 500)
  await Promise.all([stamp(), stamp()])
  const [{ count }] = await rows(
    `SELECT count(*)::int FROM draw_file_parts WHERE offer_id = $1 AND name = 'terms.tsr'`,
    [contest.id],
  )
  expect(count).toBe(1)
})

test('without the setting a contest whose terms name an authority is told, and new terms name none', async () => {
  misbehave('error')
  const contest = await newContest()
  const without = { ...shop.draws, stamps: null }
  const { id } = await newContest({}, without)
  await time.goTo(time.seconds() + 301)
  await stamp(without)
  expect(await alerts()).toEqual([{ subject: contest.slug, reason: 'STAMP_URL is not set' }])
  expect(await rows(`SELECT FROM draw_files WHERE offer_id = $1 AND name = 'authority.pem'`, [id])).toEqual(
    [],
  )
  tsa.behave('honest')
  await stamp()
  expect([await alerts(), await stampsOf({ id })]).toEqual([[], []])
})

test('an authority whose certificates end is told before', async () => {
  const until = shop.draws.stamps!.until.getTime()
  expect(await checked(() => until - 29 * 86_400_000)).toBe('warning soon')
  expect(await checked(() => until)).toBe('warning over')
  const unset = await stampsCheck(shop.db, null)()
  expect(unset).toEqual({ state: 'skipped', says: 'nobody' })
})

test('certificates are read with whatever stands between them, and every fault ends the start', async () => {
  const pem = readFileSync(tsa.certificates, 'utf8')
  const other = await startTsaEmulator({ port: 0 })
  const second = readFileSync(other.certificates, 'utf8')
  await other.close()
  const file = path.join(temporaryFolder(), 'certificates')
  const read = (text: string) => {
    writeFileSync(file, text)
    return readStampAuthority({ stampUrl: 'https://stamps.test/', stampCertificates: file })
  }
  const given = `Root of 2026\r\n${pem.replaceAll('\n', '\r\n')}\nSecond:\n${second}`
  expect(Buffer.from(read(given)!.file).toString()).toBe(pem + second)
  for (const [text, fault] of [
    ['', 'no certificate'],
    [`${pem}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`, 'a block "PRIVATE KEY"'],
    [`${pem}${second.slice(0, 200)}`, 'a certificate that is cut off'],
    [pem.replace(/\n[^-]{4}/, '\nAAAA'), 'something else than a certificate in block 1'],
    [
      pem + Buffer.from(authorityOf({ curve: 'secp256k1', trusted: 'signer' }).file).toString(),
      'a key that is neither RSA nor on P-256, P-384 or P-521 in block 2',
    ],
    [pem.repeat(200), 'more than 65536 bytes of certificates'],
  ] as const)
    expect(() => read(text), fault).toThrow(fault)
  expect(() => readStampAuthority({ stampUrl: 'https://a.test', stampCertificates: '/nowhere' })).toThrow(
    'STAMP_CERTIFICATES: cannot read /nowhere (ENOENT)',
  )
  expect(() => readConfig({ STAMP_URL: 'https://a.test' })).toThrow(ConfigFaults)
  expect(() => readConfig({ STAMP_CERTIFICATES: file })).toThrow(
    'STAMP_URL, STAMP_CERTIFICATES: expected both or none',
  )
  expect(() => readConfig({ STAMP_URL: 'a.test', STAMP_CERTIFICATES: file })).toThrow('STAMP_URL: expected')
})
