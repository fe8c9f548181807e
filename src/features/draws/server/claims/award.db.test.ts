import { expect, test } from 'vitest'
import { claimTokens, openClaims } from './claims.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import type { Claim } from '../../claims.contract.ts'
import { appendEntries } from '../append-entries.ts'
import { logWaitingClaims } from './receipts.ts'
import { drawLab } from '../draw-lab.test-support.ts'
import { isExtended } from '../../../../../test/support/tier.ts'

// Short, because sessions and step-ups of this shop end by the clock that the tests move.
const lab = await drawLab({ env: { DRAW_CLAIM_MINUTES: '600', DRAW_ALTERNATE_DELAY_MINUTES: '30' } })
const { shop } = lab
const tokens = claimTokens(shop.secret)
const FORM = {
  name: 'Ada Peeters',
  street: 'Kerkstraat 12',
  extra: '',
  postcode: '9000',
  city: 'Gent',
  country: 'BE',
  phone: '+32 471 23 45 67',
  publish: false,
  first_name: '',
  place: '',
  picture: false,
  is_adult: true,
  is_eligible: true,
}
const { is_adult: _, is_eligible: __, ...LETTER } = { ...FORM, name: 'Friend', declared: true }
const DAY = { delivered_on: '2026-12-01' }

type Staff = Awaited<ReturnType<typeof shop.newStaff>>
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

/** Hashes of the claims in the log of a contest. */
const claimLeaves = async (id: number): Promise<(string | undefined)[]> =>
  (await lab.leavesOf(id)).flatMap((leaf) => (leaf.startsWith('volant-claim') ? [leaf.split('\t')[3]] : []))

/** A drawn contest with a claim, and what its winner and staff do with it. */
async function won() {
  const contest = await lab.newContest()
  const { customer } = await shop.paidOrder(1, undefined, contest.id)
  await lab.goOn(contest, 'draw')
  await openClaims({ db: shop.db, tokens })
  const path = `/api/staff/draws/${contest.id}/claims/0/`
  const readBy = async (staff: Staff) => {
    await staff.stepUp('draws.claims')
    return (await staff.get(path)).body
  }
  const seenBy = async (staff: Staff) => ({ seen: String((await readBy(staff))['seen']) })
  return {
    ...contest,
    customer,
    path,
    readBy,
    seenBy,
    submit: (change: object = {}) =>
      shop.anonymous('POST', '/api/claims/submit/', {
        token: tokens.of(`${contest.id}.0`),
        ...FORM,
        ...change,
      }),
    record: async (staff: Staff) => {
      await staff.stepUp('draws.claims')
      return staff.post(`${path}record/`, LETTER)
    },
    see: async (staff: Staff, seen?: object) => staff.post(`${path}identity/`, seen ?? (await seenBy(staff))),
    award: async (staff: Staff, seen?: object) => {
      await staff.stepUp('draws.award')
      return staff.post(`${path}award/`, { ...(seen ?? (await seenBy(staff))), ...DAY })
    },
    approve: async (staff: Staff, asked: { body: Record<string, unknown> }) => {
      await staff.stepUp('draws.award')
      return staff.post(`/api/staff/approvals/${(asked.body['approval'] as { id: string }).id}/approve/`)
    },
    mails: async () =>
      (
        await run(
          `SELECT subject FROM emails WHERE kind = 'draw-claim-step' AND body_ref->>'ref' LIKE $1 ORDER BY id`,
          [`${contest.id}.0.%`],
        )
      ).map(({ subject }) => String(subject).split('“')[0]),
  }
}
const [manager, second] = [await shop.newStaff('manager'), await shop.newStaff('manager')]

test('one manager alone hands the prize to nobody, in whatever order they act', async () => {
  const { id, slug, customer, award, record, readBy, see, seenBy, approve, mails } = await won()
  await run(`UPDATE users SET language = 'en' WHERE id = $1`, [customer.id])
  expect((await award(manager)).body).toMatchObject({ code: 'claim.notToAward' })
  expect((await see(manager)).body).toMatchObject({ code: 'claim.notToCheck' })
  expect((await record(manager)).body).toMatchObject({ state: 'submitted', is_recorded: true })
  expect((await see(manager)).body).toMatchObject({ code: 'claim.seenByAnother' })
  expect((await award(manager)).body).toMatchObject({ code: 'claim.notToAward' })
  const seen = await readBy(second)
  expect((await see(second)).body).toMatchObject({ state: 'checked' })
  const asked = await award(manager)
  expect(asked.status).toBe(202)
  expect((await approve(manager, asked)).body).toMatchObject({ code: 'staff.secondPersonNeeded' })
  // Nor twice at a time.
  expect((await award(second, await seenBy(second))).body).toMatchObject({ code: 'staff.approvalWaits' })
  expect(await lab.stateOf(id)).toBe('drawn')
  expect((await approve(second, asked)).status).toBe(200)
  expect(await lab.stateOf(id)).toBe('awarded')
  expect(
    await run('SELECT awarded_by, identity_seen_by, recorded_by FROM draw_claims WHERE offer_id = $1', [id]),
  ).toEqual([{ awarded_by: manager.id, identity_seen_by: second.id, recorded_by: manager.id }])
  // Both have seen the hash that the winner's receipt has.
  const [leaf] = await claimLeaves(id)
  expect([seen['leaf_hash'], (asked.body['approval'] as Approval).preview['leaf_hash']]).toEqual([leaf, leaf])
  expect(await lab.stepsOf(id)).toBe('open close list seal result claim award')
  expect((await lab.evidenceOf(slug)).open.map(({ step }) => step)).toEqual(['forfeitures'])
  // Each step was told to the winner.
  expect(await mails()).toEqual([
    'Your claim is written down: ',
    'We have seen your ID: ',
    'The handover is being recorded: ',
    'Your prize is handed over: ',
  ])
  expect((await approve(second, asked)).status).toBe(409)
})

test.runIf(isExtended)(
  'staff never write over the winner’s own claim; the winner writes over what staff have written down',
  async () => {
    const { submit, record, readBy, path } = await won()
    expect((await record(manager)).status).toBe(200)
    expect((await submit()).body).toMatchObject({ contact: { name: 'Ada Peeters' } })
    expect((await record(second)).body).toMatchObject({ code: 'claim.ofWinner' })
    expect(await readBy(second)).toMatchObject({ contact: { name: 'Ada Peeters' } })
    const other = await won()
    const raced = await Promise.all([other.submit(), other.record(manager)])
    const { contact } = await other.readBy(manager)
    // Whichever came first, what the winner sent stays.
    expect(contact.name).toBe('Ada Peeters')
    expect(raced[0]?.status).toBe(200)
    expect(path).not.toBe(other.path)
    // Each claim that was stored has its leaf, the last one is that of the receipt.
    const leaves = await claimLeaves(other.id)
    expect(leaves).toHaveLength(raced[1]?.status === 200 ? 2 : 1)
    expect(leaves.at(-1)).toBe((raced[0]!.body as Claim).receipt?.hash)
  },
)

test.runIf(isExtended)(
  'claims, entries and steps at the same time leave each claim one leaf, in a log that holds',
  async () => {
    const claim = await won()
    const { id, slug, submit } = claim
    const cities = ['Gent', 'Brugge', 'Aalst', 'Gent']
    const work = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn += 1) {
        await appendEntries(shop.draws)
        await logWaitingClaims(shop.draws)
      }
    }
    const [, ...sent] = await Promise.all([
      work(),
      ...cities.map((city) => submit({ city })),
      claim.record(manager),
    ])
    expect(sent.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const receipts = sent.slice(0, 4).map(({ body }) => (body as Claim).receipt!.hash)
    const leaves = await claimLeaves(id)
    expect(new Set(leaves).size).toBe(leaves.length)
    expect(leaves).toEqual(expect.arrayContaining(receipts))
    expect((await lab.evidenceOf(slug)).open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  },
)

test('a claim that is cut off before its commit leaves nothing, and the same claim comes in afterwards', async () => {
  const { id, submit } = await won()
  await run(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.leaf LIKE 'volant-log%' THEN RAISE 'cut off'; END IF; RETURN NEW; END $$`)
  await run('CREATE TRIGGER cut BEFORE INSERT ON draw_leaves FOR EACH ROW EXECUTE FUNCTION cut()')
  expect((await submit()).status).toBe(500)
  await run('DROP FUNCTION cut CASCADE')
  expect(await claimLeaves(id)).toEqual([])
  expect(await run('SELECT submitted_at FROM draw_claims WHERE offer_id = $1', [id])).toEqual([
    { submitted_at: null },
  ])
  const { receipt } = (await submit()).body as Claim
  expect(await claimLeaves(id)).toEqual([receipt?.hash])
})

test.runIf(isExtended)(
  'while the register is halted a claim is kept, and its leaf and receipt follow',
  async () => {
    const { id, slug, customer, submit } = await won()
    await run(`UPDATE users SET language = 'en' WHERE id = $1`, [customer.id])
    const halt = (at: string | null) => run('UPDATE register_watch SET halted_at = $1', [at])
    await halt('2026-01-01')
    expect((await submit()).body).toMatchObject({ state: 'submitted', receipt: null })
    await logWaitingClaims(shop.draws)
    expect(await claimLeaves(id)).toEqual([])
    await halt(null)
    await Promise.all([logWaitingClaims(shop.draws), logWaitingClaims(shop.draws)])
    const { receipt } = (await submit()).body as Claim
    expect(await claimLeaves(id)).toEqual([receipt?.hash])
    const mails = await run(`SELECT subject FROM emails WHERE kind = 'draw-claim-step' AND user_id = $1`, [
      customer.id,
    ])
    expect(mails).toEqual([{ subject: expect.stringMatching(/^We have received your claim/) }])
    expect((await lab.evidenceOf(slug)).open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  },
)

test.each([
  [
    'the winner changes the claim',
    async (claim: Awaited<ReturnType<typeof won>>) => claim.submit({ city: 'Brugge' }),
  ],
  [
    'the address for the winner’s emails changes',
    async ({ customer }: Awaited<ReturnType<typeof won>>) =>
      run('UPDATE users SET email = $2 WHERE id = $1', [customer.id, `friend${customer.id}@mail.test`]),
  ],
])('when %s, what staff saw of it counts no longer', async (_name, change) => {
  const claim = await won()
  await claim.submit()
  const seen = await claim.seenBy(manager)
  await change(claim)
  for (const stale of [claim.see(manager, seen), claim.award(manager, seen)])
    expect((await stale).body).toMatchObject({ code: 'claim.changed' })
  expect((await claim.see(manager)).body).toMatchObject({ state: 'checked', is_changed: false })
  const fresh = await claim.seenBy(manager)
  const asked = await claim.award(manager, fresh)
  expect(asked.status).toBe(202)
  await run('UPDATE draw_claims SET phone = $2 WHERE offer_id = $1', [claim.id, '112'])
  // The approval is of the claim that was shown.
  expect((await claim.approve(second, asked)).body).toMatchObject({ code: 'claim.changed' })
  const { attempts } = (await manager.get(`/api/staff/draws/${claim.id}/`)).body
  expect(attempts[0].claim).toMatchObject({ state: 'submitted', is_changed: true })
  expect(await lab.stateOf(claim.id)).toBe('drawn')
  // Seen again, told again, and asked for again.
  expect((await claim.see(second)).body).toMatchObject({ state: 'checked' })
  expect((await claim.approve(second, asked)).body).toMatchObject({ code: 'claim.changed' })
  const told = await run(
    `SELECT body_ref->>'ref' AS ref FROM emails WHERE kind = 'draw-claim-step' AND body_ref->>'ref' LIKE $1`,
    [`${claim.id}.0.%`],
  )
  expect(told.filter(({ ref }) => !ref.endsWith('.received'))).toHaveLength(3)
})

test('a prize is awarded once, however many people ask and approve at the same time', async () => {
  const claim = await won()
  await claim.submit()
  await claim.see(second)
  const seen = await claim.seenBy(manager)
  const asks = await Promise.all([claim.award(manager, seen), claim.award(second, seen)])
  expect(asks.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 409])
  const asked = asks.find(({ status }) => status === 202)!
  const [approver, third] = [asks[0] === asked ? second : manager, await shop.newStaff('owner')]
  const approvals = await Promise.all([
    claim.approve(approver, asked),
    claim.approve(third, asked),
    claim.submit({ city: 'Brugge' }),
  ])
  const { city, awarded_at } = (
    await run('SELECT city, awarded_at FROM draw_claims WHERE offer_id = $1', [claim.id])
  )[0]
  // Either the award or the change came first; never both.
  expect(awarded_at === null).toBe(city === 'Brugge')
  expect(approvals.slice(0, 2).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  const leaves = (await lab.leavesOf(claim.id)).filter((leaf) => leaf.startsWith('volant-award'))
  expect(leaves).toHaveLength(awarded_at === null ? 0 : 1)
})
