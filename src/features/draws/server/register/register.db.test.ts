import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseCheckpoints } from '#draw-protocol/checkpoints.ts'
import { toBytes } from '#draw-protocol/bytes.ts'
import { parsePolicy } from '#draw-protocol/witness-policy.ts'
import { parseTerms } from '#draw-protocol/terms.ts'
import { cancelAndRefund } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { transact } from '#platform/transaction.ts'
import { shopChecks } from '#server/doctor/doctor.ts'
import { readWitnessPolicy } from '#server/witness-policy.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { appendEntries } from '../append-entries.ts'
import { claimTokens, openClaims } from '../claims/claims.ts'
import { forfeitPrizes } from '../claims/forfeitures.ts'
import { sendDrawEmails } from '../draw-emails.ts'
import { TIMES, drawLab } from '../draw-lab.test-support.ts'
import { publishTermsOf } from '../publish-terms.ts'
import { sha256 } from '../sha256.ts'
import { RestoreFault, restoreRegister } from './restore-register.ts'
import { registerVerifiers } from './verifiers.ts'
import { addCheckpoint } from './witness-client.ts'
import { isExtended } from '../../../../../test/support/tier.ts'

const lab = await drawLab({ isWitnessed: true })
const { shop, witnesses, time, ask, work, newContest, goOn, stepsOf, leavesOf, stateOf } = lab
const HOUR = 3_600
const FAR = () => ({
  end_date: new Date((time.seconds() + 30 * 86_400) * 1000),
  draw_at: new Date((time.seconds() + 40 * 86_400) * 1000),
})

const rows = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const text = async (url: string): Promise<string> => (await shop.app.inject({ method: 'GET', url })).body
const registered = async (): Promise<string[]> =>
  (await leavesOf(0)).map((leaf) => leaf.split('\t').slice(0, 2).join(' '))
const faults = async (): Promise<(string | null)[]> =>
  (await rows('SELECT fault FROM register_witnesses ORDER BY id')).map(({ fault }) => fault)
const openAlerts = async (): Promise<string[]> =>
  (
    await rows(`SELECT kind || ' ' || subject AS alert FROM alerts
               WHERE resolved_at IS NULL AND kind IN ('registerContradicted', 'witnessesSilent') ORDER BY id`)
  ).map(({ alert }) => alert)
const cosigned = async (): Promise<number> =>
  (
    await rows(`SELECT FROM witness_cosignatures
               WHERE checkpoint_id = (SELECT max(id) FROM draw_checkpoints WHERE log_id = 0)`)
  ).length
const checkedWitnesses = async () => {
  const { witnesses: check } = shopChecks({
    ...shop,
    secret: 'x',
    logKey: shop.draws.key,
    witnesses: shop.draws.witnesses,
    migration: 0,
  })
  const { state, says } = await check()
  return `${state} ${says}`
}
const temporaryFile = (content: string): string => {
  const file = path.join(temporaryFolder(), 'policy')
  writeFileSync(file, content)
  return file
}
/** As staff open a contest. */
const open = (offerId: number) => transact(shop.db, (trx) => publishTermsOf(trx, shop.draws, offerId))
const newDraft = () =>
  shop.newOffer({ slug: `later-${time.seconds()}-${Math.random().toString(36).slice(2)}`, ...FAR() })

test('a draw stands in the register step by step, and two of three witnesses vouch for it', async () => {
  const contest = await newContest()
  const paid = await shop.paidOrder(2, undefined, contest.id)
  await shop.paidOrder(1, undefined, contest.id)
  await work()
  await goOn(contest, 'seal')
  // A void after the seal, and one leaf an hour for a log that grows.
  await rows(`UPDATE tickets SET status = 'void', void_reason = 'disputed' WHERE order_id = $1`, [
    paid.ours.id,
  ])
  await goOn(contest, 'draw')
  const own = (await registered())
    .filter((leaf) => leaf.endsWith(contest.slug))
    .map((leaf) => leaf.split('-')[1])
  // It sells for an hour, at whose end it may be registered once more.
  expect(own.join(' ')).toMatch(/^terms log (log )?log log seal log log result log$/)
  expect(await stepsOf(contest.id)).toBe('open close list seal void void result')

  const { files, open: openSteps, remarks, voucher } = await lab.evidenceOf(contest.slug)
  expect(openSteps.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(remarks).toEqual(['demonstration'])
  expect(voucher).toMatchObject({ by: 'witnesses' })
  const terms = parseTerms(files.get('terms.txt')!, sha256)
  expect(terms.witnessPolicy).toBe(Buffer.from(sha256(files.get('policy.txt')!)).toString('hex'))
  expect(parsePolicy(Buffer.from(files.get('policy.txt')!).toString(), sha256).witnesses).toHaveLength(3)
  for (const name of ['policy.txt', 'register.txt', 'register-checkpoints.txt'])
    expect(await text(`/draws/${contest.slug}/${name}`), name).toBe(Buffer.from(files.get(name)!).toString())

  // Each has signed the last one, which everybody gets with its lines.
  const last = await text('/draws/checkpoint')
  expect(last.match(/^— witness\.test\/(north|south|west) /gm)).toHaveLength(3)
  expect((await text('/draws/checkpoints.txt')).endsWith(last)).toBe(true)
  expect(parseCheckpoints(toBytes(await text('/draws/checkpoints.txt'))).at(-1)!.size).toBe(
    (await text('/draws/log.txt')).trimEnd().split('\n').length,
  )
  expect(await checkedWitnesses()).toBe('ok asked')
  for (const change of ['UPDATE witness_cosignatures SET line = line', 'DELETE FROM witness_cosignatures'])
    await expect(rows(change)).rejects.toThrow('refused')
})

test('an archive has another tag once a witness has signed, and keeps it when its contest is over', async () => {
  const contest = await newContest()
  const tag = async () =>
    (await shop.anonymous('GET', `/draws/${contest.slug}/${contest.slug}-evidence.zip`)).headers['etag']
  witnesses.behave('error')
  onTestFinished(() => witnesses.behave('honest'))
  await work()
  const unsigned = await tag()
  expect(await tag()).toBe(unsigned)
  witnesses.behave('honest')
  await time.goTo(time.seconds() + 10)
  await ask()
  const signed = await tag()
  expect(signed).not.toBe(unsigned)
  await newContest()
  await work()
  expect(await tag()).not.toBe(signed)
  await cancelAndRefund(shop.checkout, contest.slug, 'Volé.')
  await work()
  const over = await tag()
  await newContest()
  await work()
  expect(await tag()).toBe(over)
})

test.runIf(isExtended)('a log that grows is registered each hour, and one that does not is not', async () => {
  const [busy, still] = [await newContest(FAR()), await newContest(FAR())]
  await shop.paidOrder(1, undefined, busy.id)
  await work()
  const count = async (slug: string) =>
    (await registered()).filter((leaf) => leaf === `volant-log-v1 ${slug}`).length
  expect([await count(busy.slug), await count(still.slug)]).toEqual([1, 1])
  await time.goTo(time.seconds() + HOUR + 1)
  await Promise.all([work(), work()])
  expect([await count(busy.slug), await count(still.slug)]).toEqual([2, 1])
  await time.goTo(time.seconds() + HOUR + 1)
  await work()
  expect([await count(busy.slug), await count(still.slug)]).toEqual([2, 1])
})

test.runIf(isExtended).each([
  ['error', 'status 500'],
  ['unanswered', 'no answer in 1000 ms'],
  ['garbage', 'not the answer of a witness'],
  ['huge', 'more than 16384 bytes'],
  ['slow-clock', 'its clock is 3600 s behind'],
  ['fast-clock', 'its clock is 7200 s ahead'],
  ['other-key', 'a false signature'],
  ['bad-signature', 'a false signature'],
  ['unknown-log', 'status 404'],
] as const)('one witness that does "%s" holds up nobody, and its fault is told', async (behaviour, fault) => {
  witnesses.behaveAlone(1, behaviour)
  onTestFinished(() => witnesses.behaveAlone(1))
  await newContest(FAR())
  await ask()
  expect(await cosigned()).toBe(2)
  expect((await faults())[1]).toMatch(new RegExp(`^${fault.replace(/\d{4} s/, '\\d{4} s')}`))
  expect(await checkedWitnesses()).toBe('warning failing')
  witnesses.behaveAlone(1)
  await time.goTo(time.seconds() + 600)
  await ask()
  expect([await cosigned(), await faults()]).toEqual([3, [null, null, null]])
})

test.runIf(isExtended)('a slow witness delays no other one, and is not asked twice at a time', async () => {
  const { witnessAsking } = await import('./ask-witnesses.ts')
  const run = witnessAsking(shop.draws, { timeoutMs: 2_000, runMs: 300 })
  witnesses.behaveAlone(0, 'unanswered')
  onTestFinished(() => witnesses.behaveAlone(0))
  await newContest(FAR())
  const before = witnesses.counts.calls
  const began = Date.now()
  await run()
  expect(Date.now() - began).toBeLessThan(1_500)
  await newContest(FAR())
  await run()
  expect(await cosigned()).toBe(2)
  expect(witnesses.counts.calls - before).toBe(5)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  await run()
})

test('without a quorum a draw goes on, an alert tells it after an hour, and readers that only the shop vouches', async () => {
  const contest = await newContest()
  await shop.paidOrder(1, undefined, contest.id)
  await work()
  for (const at of [0, 1]) witnesses.behaveAlone(at, 'error')
  onTestFinished(() => [0, 1].forEach((at) => witnesses.behaveAlone(at)))
  await goOn(contest, 'draw')
  expect(await stateOf(contest.id)).toBe('drawn')
  expect(await openAlerts()).toEqual(['witnessesSilent register'])
  const { remarks, voucher, open: openSteps } = await lab.evidenceOf(contest.slug)
  expect(openSteps.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(remarks).toEqual(['demonstration', 'seal-unconfirmed'])
  expect(voucher).toEqual({ by: 'shop', why: 'unconfirmed' })
  ;[0, 1].forEach((at) => witnesses.behaveAlone(at))
  await time.goTo(time.seconds() + 600)
  await ask()
  expect(await openAlerts()).toEqual([])
})

test('a signature that was lost before it was stored is asked for again', async () => {
  await newContest(FAR())
  const [witness] = shop.draws.witnesses!.policy.witnesses
  const { size } = (await rows('SELECT size FROM register_witnesses ORDER BY id'))[0]
  const [last] = await rows(
    'SELECT size, note FROM draw_checkpoints WHERE log_id = 0 ORDER BY id DESC LIMIT 1',
  )
  const { body } = await shop.anonymous('GET', `/draws/consistency?first=${size}&second=${last.size}`)
  const proof = (body['proof'] as string[]).map((hash) => Buffer.from(hash, 'hex'))
  const lost = await addCheckpoint(
    { key: witness!.key, url: witness!.url! },
    { old: size, proof, note: last.note },
    1_000,
  )
  expect(lost.kind).toBe('signed')
  await ask()
  expect([await cosigned(), await faults()]).toEqual([3, [null, null, null]])
})

test.each([
  ['confirmed before the notice', 'honest', false],
  ['confirmed when the winner was known', 'error', true],
] as const)('a void that was %s counts so', async (_, behaviour, isDecided) => {
  const contest = await newContest()
  const { ours } = await shop.paidOrder(2, undefined, contest.id)
  await work()
  await goOn(contest, 'seal')
  witnesses.behave(behaviour)
  onTestFinished(() => witnesses.behave('honest'))
  await rows(`UPDATE tickets SET status = 'void', void_reason = 'disputed' WHERE order_id = $1`, [ours.id])
  await work()
  await goOn(contest, 'draw')
  witnesses.behave('honest')
  await time.goTo(time.seconds() + 600)
  await work()
  await openClaims({ db: shop.db, tokens: claimTokens(shop.secret) })
  await forfeitPrizes({ ...shop.draws, shop: shop.config })
  expect(
    await rows('SELECT reason, is_decided FROM draw_forfeitures WHERE offer_id = $1', [contest.id]),
  ).toEqual([{ reason: 'voided', is_decided: isDecided }])
  await work()
  const { open: openSteps } = await lab.evidenceOf(contest.slug)
  expect(openSteps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual(['end skipped'])
})

test.each([
  ['confirmed', 60, 2],
  ['not confirmed for ten minutes', 601, 0],
] as const)(
  'the email about a seal that is %s goes out, with the register as it is then',
  async (_, after, signers) => {
    const closes = time.seconds() + 2 * HOUR
    const draw = closes + 3 * HOUR
    const contest = await newContest({ end_date: new Date(closes * 1000), draw_at: new Date(draw * 1000) })
    await shop.paidOrder(1, undefined, contest.id)
    await work()
    for (const moment of [closes, closes + 1]) {
      await time.goTo(moment)
      await work()
    }
    witnesses.behave('error')
    onTestFinished(() => witnesses.behave('honest'))
    const sealed = draw - TIMES.sealMargin - 60
    await time.goTo(sealed)
    await work()
    expect(await stepsOf(contest.id)).toBe('open close list seal')
    expect(await sendDrawEmails(shop.db)).toBe(0)
    await time.goTo(sealed + after)
    if (signers > 0) {
      witnesses.behave('honest')
      await ask()
    }
    expect(await sendDrawEmails(shop.db)).toBe(1)
    const [{ id }] = await rows(
      `SELECT e.id FROM emails e JOIN draw_recipients r ON r.id::text = e.body_ref->>'ref' AND r.offer_id = $1
     WHERE e.kind = 'draw-sealed'`,
      [contest.id],
    )
    const { files } = (await shop.anonymous('GET', `/api/demo/emails/${id}/`)).body
    const [own, register] = await Promise.all(
      (files as { url: string }[]).slice(1).map(async ({ url }) => text(url)),
    )
    expect(own).toBe(await text(`/draws/${contest.slug}/checkpoint`))
    const seal = (await leavesOf(0)).findIndex((leaf) => leaf.startsWith(`volant-seal-v1\t${contest.slug}\t`))
    expect(parseCheckpoints(toBytes(register!))[0]!.size).toBeGreaterThan(seal)
    expect(register!.match(/^— witness\.test\//gm)?.length ?? 0).toBeGreaterThanOrEqual(signers)
    expect(register!.includes('— witness')).toBe(signers > 0)
  },
)

/** Takes from the register what came after `size` leaves, as a restored backup does. */
async function restoreBackup(size: number): Promise<void> {
  const tables = ['witness_cosignatures', 'draw_checkpoints', 'draw_leaves', 'draw_logs']
  const triggers = (what: 'DISABLE' | 'ENABLE') =>
    tables.map((table) => `ALTER TABLE ${table} ${what} TRIGGER USER`).join(';')
  await shop.pool.query(`BEGIN; ${triggers('DISABLE')};
    DELETE FROM witness_cosignatures WHERE checkpoint_id IN
      (SELECT id FROM draw_checkpoints WHERE log_id = 0 AND size > ${size});
    UPDATE register_witnesses SET size = ${size}, asked_at = '2020-01-01', next_at = now() + interval '1 hour',
      checkpoint_id = (SELECT max(id) FROM draw_checkpoints WHERE log_id = 0 AND size <= ${size});
    DELETE FROM draw_checkpoints WHERE log_id = 0 AND size > ${size};
    DELETE FROM draw_leaves WHERE log_id = 0 AND index >= ${size};
    UPDATE draw_logs SET size = ${size} WHERE id = 0;
    UPDATE register_watch SET asked_at = '2020-01-01'; ${triggers('ENABLE')}; COMMIT`)
}

test('a restored register that has lost leaves publishes nothing until they are back', async () => {
  const closes = time.seconds() + 3 * HOUR
  const draw = closes + 1_140
  const dates = { end_date: new Date(closes * 1000), draw_at: new Date(draw * 1000) }
  const contest = { ...(await newContest(dates)), closes, listed: closes + 1, draw, sealed: draw - 360 }
  await shop.paidOrder(1, undefined, contest.id)
  await work()
  const size = (await leavesOf(0)).length
  await newContest(FAR())
  await work()
  const kept = { register: await text('/draws/log.txt'), checkpoints: await text('/draws/checkpoints.txt') }
  await restoreBackup(size)
  const checkpoints = async () => (await rows('SELECT FROM draw_checkpoints WHERE log_id = 0')).length
  const before = await checkpoints()

  // Before anybody was asked nothing is signed, although an hour has passed.
  await time.goTo(time.seconds() + HOUR + 1)
  const draft = await newDraft()
  await expect(open(draft)).rejects.toMatchObject({ status: 409, code: 'register.unasked' })
  await appendEntries(shop.draws)
  await ask()
  expect(await openAlerts()).toEqual(
    ['north', 'south', 'west'].map((name) => `registerContradicted witness.test/${name}`),
  )
  expect(await checkedWitnesses()).toBe('fault halted')
  await expect(open(draft)).rejects.toMatchObject({ status: 409, code: 'register.contradicted' })
  await shop.paidOrder(1, undefined, contest.id)
  await time.goTo(contest.closes)
  await work()
  expect([await stateOf(contest.id), await stepsOf(contest.id), await checkpoints()]).toEqual([
    'closed',
    'open',
    before,
  ])
  // Two entries: sales went on.
  expect(await leavesOf(contest.id)).toHaveLength(3)

  const lines = kept.register.split('\n')
  for (const [wrong, why] of [
    [
      { ...kept, register: lines.with(0, lines[0]!.replace('volant', 'valant')).join('\n') },
      'line 1 is another one',
    ],
    [
      { ...kept, register: lines.with(-2, lines.at(-2)!.replace('volant', 'valant')).join('\n') },
      'have another root',
    ],
    [{ ...kept, register: lines.slice(0, size).join('\n') + '\n' }, 'nothing is missing'],
    [{ ...kept, register: kept.register.trimEnd() }, 'does not end with a line break'],
    [{ ...kept, checkpoints: kept.checkpoints.replace('time 2', 'time 3') }, 'is not signed'],
  ] as const)
    await expect(restoreRegister(shop.db, wrong), why).rejects.toThrow(why)
  expect(await restoreRegister(shop.db, kept)).toEqual({ from: size, to: lines.length - 1 })
  await expect(restoreRegister(shop.db, kept)).rejects.toThrow(RestoreFault)
  await ask()
  expect([await openAlerts(), await checkedWitnesses()]).toEqual([[], 'ok asked'])
  await open(draft)
  await goOn(contest, 'draw')
  expect((await lab.evidenceOf(contest.slug)).open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
})

test('one witness of three that knows another history is told, and the others suffice', async () => {
  await newContest(FAR())
  await work()
  const [west] = shop.draws.witnesses!.policy.witnesses.slice(2)
  // Somebody else with the key shows it a longer register.
  const { host, key } = shop.draws
  const leaves = (await leavesOf(0)).length
  const note = key.note(host, {
    origin: `${host}/draws`,
    size: leaves + 5,
    root: sha256(toBytes('x')),
    time: time.seconds(),
  })
  witnesses.seen(2).set(`${host}/draws`, { size: leaves + 5, root: note.split('\n')[2]! })
  await newContest(FAR())
  await ask()
  expect(await openAlerts()).toEqual([`registerContradicted ${west!.key.name}`])
  expect(await checkedWitnesses()).toBe('fault contradicted')
  await newContest(FAR())
  await ask()
  expect(await cosigned()).toBe(2)
  // Another root of the same size.
  const size = (await leavesOf(0)).length
  witnesses.seen(2).set(`${host}/draws`, { size, root: note.split('\n')[2]! })
  await time.goTo(time.seconds() + 60)
  await ask()
  expect((await faults())[2]).toBe(`its root of ${size} leaves is another one`)
  witnesses.seen(2).delete(`${host}/draws`)
  await time.goTo(time.seconds() + 60)
  await ask()
  expect([await openAlerts(), await cosigned()]).toEqual([[], 3])
})

test('a program that checks draws is registered when it is another one', async () => {
  const programs = new Map([['verify.html', 'aa'.repeat(32)]])
  const own = async () => (await leavesOf(0)).filter((leaf) => leaf.startsWith('volant-verifier-v1'))
  await Promise.all([registerVerifiers(shop.draws, programs), registerVerifiers(shop.draws, programs)])
  expect(await own()).toEqual([`volant-verifier-v1\tverify.html\t${'aa'.repeat(32)}`])
  await registerVerifiers(shop.draws, new Map([['verify.html', 'bb'.repeat(32)]]))
  expect(await own()).toHaveLength(2)
})

test.each([
  ['', 'the quorum is missing'],
  ['quorum all', '"all" is not defined above'],
  ['witness a b+00000000+AAAA http://w.test\nquorum a', 'line 1: expected the key of a witness'],
  ['# Témoins\nquorum none', 'line 1: a character that is not ASCII'],
] as const)('a policy of the shop that says %j ends the start with its fault', (policy, fault) => {
  expect(() => readWitnessPolicy({ witnessPolicy: temporaryFile(policy) })).toThrow(fault)
})

test('a policy needs an address of each witness, and may have the line breaks of other systems', () => {
  const given = readFileSync(shop.config.witnessPolicy!, 'utf8')
  expect(() => readWitnessPolicy({ witnessPolicy: temporaryFile(given.replace(/ http\S+/, '')) })).toThrow(
    'the witness witness.test/north without an address',
  )
  expect(() => readWitnessPolicy({ witnessPolicy: '/nowhere' })).toThrow(
    'WITNESS_POLICY: cannot read /nowhere (ENOENT)',
  )
  expect(
    readWitnessPolicy({ witnessPolicy: temporaryFile(given.trimEnd().replaceAll('\n', '\r\n')) })?.text,
  ).toBe(given)
})
