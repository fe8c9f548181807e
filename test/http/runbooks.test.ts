import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { ALERT_KINDS, type AlertKind, runbookOf } from '#features/alerts/alerts.rules.ts'
import { TIMES as DRAW_TIMES, drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { reconcileLedger } from '#features/purchase/payments/server/index.ts'
import { handleNotification } from '#features/purchase/payments/server/notifications.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readNotification } from '#platform/payment/paypal/paypal-provider.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { finishApprovals } from '#features/staff/server/index.ts'
import { orderWrites } from '#features/purchase/orders/server/index.ts'
import { requestStaffRefund, sendNow } from '#features/purchase/refunds/server/index.ts'
import { shopChecks } from '#server/doctor/doctor.ts'
import { JOBS, jobRuns, watchJobs } from '#server/jobs.ts'
import { checkShopInvariants, watchForAlerts } from '#server/maintenance.ts'
import { watchSurroundings } from '#server/surroundings.ts'
import { startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { bareEnvironment, projectDir } from '../../tools/testbed/program.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { startMailServer } from '../support/mail-server.ts'
import { postcard } from '../support/postcards.ts'
import { startShopProcess } from '../support/shop-process.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'
import { startWebhookReceiver, withStatus } from '../support/webhook-receiver.ts'

const PAGE = readFileSync(path.join(projectDir, 'docs/runbooks.md'), 'utf8')

interface Step {
  command: string
  expected: string
}

/** Told past the database, which has no row of them. */
const UNSTORED: readonly AlertKind[] = ['databaseAway', 'databaseReadOnly']

/**
 * The section of a kind: its commands with what they print. The first is `npm run alerts -- KIND`, which names the alert and
 * says since when it is open; a block without a command has the lines of its facts that matter.
 */
function sectionOf(kind: AlertKind): { text: string; steps: Step[]; blocks: number } | undefined {
  const text = PAGE.split(/^(?=## )/m).find((part) => part.startsWith(`## ${kind}\n`))
  if (text === undefined) return undefined
  const facts = /\*\*Symptom\.\*\* .*\n\n```text\n([^`]*?)\n```$/m.exec(text)?.[1] ?? ''
  const told = facts.includes('since …') ? facts : ['  …since …', '…', facts].filter(Boolean).join('\n')
  const known = {
    command: `npm run alerts -- ${kind}`,
    expected: `${kind}: … open since … UTC. ${runbookOf(kind)}\n${told}\n…`,
  }
  const commands = [...text.matchAll(/^```(?:sh)?\n([^`]*?)\n```\n+```text\n([^`]*?)\n```$/gm)]
  const others = commands.map(([, command = '', expected = '']) => ({ command, expected }))
  const steps = UNSTORED.includes(kind) ? others : [known, ...others]
  return { text, steps, blocks: others.length * 2 + (facts === '' ? 0 : 1) }
}

describe('the page', () => {
  test.each(ALERT_KINDS)(
    'has a section for %s: symptom, commands with what they print, what to do and what not',
    (kind) => {
      const { text, steps, blocks } = sectionOf(kind)!
      for (const part of ['**Symptom.** ', '**Do.** ', '**Never.** ']) expect(text).toContain(part)
      expect(steps.length).toBeGreaterThan(0)
      // No command without its output, and no block that is not tried.
      expect(text.match(/^```/gm) ?? []).toHaveLength(blocks * 2)
      expect(`docs/runbooks.md#${kind.toLowerCase()}`).toBe(runbookOf(kind))
    },
  )

  test('has no section for what raises no alert', () => {
    const kinds = [...PAGE.matchAll(/^## ([a-z]\w+)$/gm)].map(([, kind]) => kind)
    expect(kinds).toEqual([...ALERT_KINDS])
  })
})

const literal = (text: string): string => text.replaceAll(/[^\w\s]/g, String.raw`\$&`)

/** `…` stands for anything within a line, a line of it alone for any number of lines. */
function patternOf(expected: string): RegExp {
  const lines = expected.split('\n').map((line) => {
    if (line.trim() === '…') return '(?:.*\\n)*?'
    return `${line.split('…').map(literal).join('.*?')}\\n`
  })
  return new RegExp(`^${lines.join('')}$`)
}

async function outputOf(command: string, env: Record<string, string>): Promise<string> {
  const child = spawn('sh', ['-c', command], { cwd: projectDir, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  await once(child, 'close')
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('> '))
  return `${lines.join('\n')}\n`
}

/** What was done to a shop, and how it is undone. */
interface Made {
  shop: TestShop
  /** Settings of the commands beside those of the shop. */
  env?: Record<string, string>
  /** Undoes it and lets the shop see that. */
  mend?: () => Promise<unknown>
}

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const mailServer = await startMailServer()
afterAll(() => mailServer.close())

const pay = await openPaymentShop({
  env: {
    LIMITS_FACTOR: '1000',
    SMTP_URL: mailServer.url,
    ALERT_EMAIL: 'operator@shop.test',
    ALERT_WEBHOOK_URL: `${receiver.url}/topic`,
    ALERT_WEBHOOK_FORMAT: 'ntfy',
    DATA_DIR: temporaryFolder('volant-runbooks-', 'file'),
  },
})
const { shop, run } = pay
const watch = (upSeconds?: number) => watchForAlerts(shop.db, shop.checkout.alerts, upSeconds)
const ago = (interval: string): string => `now() - interval '${interval}'`

const commandEnv = ({ shop: at, env = {} }: Made): Record<string, string> => {
  const { config } = at
  return {
    ...bareEnvironment(),
    PATH: `${path.join(projectDir, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: temporaryFolder(),
    DATABASE_URL: at.url,
    DATA_DIR: config.dataDir,
    PORT: String(config.port),
    PUBLIC_URL: config.publicUrl,
    PAYPAL_BASE_URL: config.paypalBaseUrl,
    LOG_KEY: '5e'.repeat(32),
    ...(config.smtpUrl && { SMTP_URL: config.smtpUrl }),
    ...(config.alertEmail && { ALERT_EMAIL: config.alertEmail }),
    ...(config.alertWebhookUrl && {
      ALERT_WEBHOOK_URL: config.alertWebhookUrl,
      ALERT_WEBHOOK_FORMAT: config.alertWebhookFormat,
    }),
    ...env,
  }
}

/** Looks at the surroundings as a worker does, twice. */
async function lookTwice(
  at: TestShop = shop,
  change: Partial<TestShop['config']> = {},
  db = at.db,
): Promise<void> {
  const config = { ...at.config, ...change }
  const parts = { config, db, secret: at.secret, logKey: at.draws.key, migration: 0 }
  const look = watchSurroundings({
    db: at.db,
    alerts: at.checkout.alerts,
    checks: () => shopChecks(parts),
    isWorker: true,
  })
  await look()
  await look()
}

/** A process of its own on the database of a shop. */
function startProcess(at: TestShop, env: Record<string, string>) {
  const { PORT: _, ...settings } = commandEnv({ shop: at, env })
  return startShopProcess({ env: { ...settings, SECRET_KEY: at.secret } })
}

const asAdmin = async (statement: string): Promise<void> => {
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  await admin.query(statement)
  await admin.end()
}
const databaseName = ({ url }: { url: string }): string => new Client({ connectionString: url }).database!

/** A shop of a test's own. */
async function ownShop(env: Record<string, string> = {}): Promise<TestShop> {
  const own = await testShop({ env: { DATA_DIR: temporaryFolder(), ...env } })
  onTestFinished(() => own.close())
  return own
}

const orderAged = async (change: string): Promise<string> => {
  const { ours } = await shop.paidOrder(1)
  await run(`UPDATE orders SET ${change} WHERE id = $1`, [ours.id])
  return ours.id
}
const broken = () => Promise.reject(new ProviderUnknown('the connection broke'))

/** A shop whose draws stand still. */
let lab: Awaited<ReturnType<typeof drawLab>> | undefined
const draws = async () => (lab ??= await drawLab())

let witnessed: Awaited<ReturnType<typeof drawLab>> | undefined
const witnessedDraws = async () => (witnessed ??= await drawLab({ isWitnessed: true }))

let stamped: Awaited<ReturnType<typeof drawLab>> | undefined
const stampedDraws = async () => (stamped ??= await drawLab({ isStamped: true }))

const FAULTS: Record<AlertKind, () => Promise<Made>> = {
  async invariant() {
    const offerId = await shop.newOffer()
    const change = (by: string) =>
      run(`UPDATE offers SET tickets_held = tickets_held ${by} WHERE id = $1`, [offerId])
    const check = () => checkShopInvariants(shop.checkout, 0)
    await change('+ 1')
    await check()
    return { shop, mend: async () => (await change('- 1'), check()) }
  },
  async invariantsUnchecked() {
    await run('DELETE FROM invariant_checks')
    await watch(3 * 3_600)
    return { shop, mend: async () => (await checkShopInvariants(shop.checkout, 0), watch(3 * 3_600)) }
  },
  async ledgerDiffers() {
    const { orderId } = await shop.paidOrder(1)
    const known = shop.paypal.book.orders.get(orderId)!
    shop.paypal.book.remove('order', orderId)
    await run(`UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL`)
    await reconcileLedger(shop.checkout)
    return {
      shop,
      mend: async () => {
        shop.paypal.book.insert('order', orderId, known)
        await run(`UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL`)
        await reconcileLedger(shop.checkout)
      },
    }
  },
  async orderUnreconciled() {
    const { orderId } = await shop.paidOrder(1)
    await run(`UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL`)
    await reconcileLedger(
      pay.withProvider({
        readOrder: (id) => (id === orderId ? broken() : shop.checkout.provider.readOrder(id)),
      }),
    )
    await run(`UPDATE unreconciled_orders SET since = ${ago('7 hours')}, tried_at = ${ago('7 hours')}`)
    await watch()
    return { shop, mend: async () => (await reconcileLedger(shop.checkout), watch()) }
  },
  async reconciliationLate() {
    await orderAged(`created_at = ${ago('49 hours')}`)
    await run(
      `UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL, started_at = ${ago('49 hours')}`,
    )
    await watch()
    return {
      shop,
      mend: async () => {
        for (let time = 0; time < 2; time += 1) await reconcileLedger(shop.checkout)
        await watch()
      },
    }
  },
  async wrongAmount() {
    const { customer, orderId } = await shop.approvedOrder(2, 'tampered@buyer.test')
    await customer.capture(orderId)
    return { shop, mend: async () => (await pay.sweep(), watch()) }
  },
  async unknownPayment() {
    const { orderId, captureId } = await shop.paidOrder(1)
    const readOrder = async (id: string) => ({
      ...(await shop.checkout.provider.readOrder(id.replace(/^LOST-/, ''))),
      references: [crypto.randomUUID()],
    })
    const event = {
      id: 'WH-LOST',
      type: 'TEST',
      reference: crypto.randomUUID(),
      providerOrderId: `LOST-${orderId}`,
      captureId: undefined,
      completedCaptureId: undefined,
      concernsPaidOrders: true,
      payload: {},
    }
    const notify = () => handleNotification(pay.withProvider({ readOrder }), event)
    await notify()
    return { shop, mend: async () => (await pay.atProvider.giveBack(captureId, 'refund'), notify()) }
  },
  async statementPayment() {
    const accountant = await shop.newStaff('accountant')
    const head =
      '"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","Transaction ID","Reference Txn ID","Invoice Number","Custom Number","Balance Impact"'
    const row =
      '"15/05/2024","12:00:00","CEST","A","Express Checkout Payment","Completed","EUR","20,00","0,00","20,00","a@b.test","STRANGE0000000001","","","","Credit"'
    const sent = await accountant.post(
      '/api/staff/reports/statements/',
      Buffer.from(`\u{FEFF}${head}\r\n${row}\r\n`),
      {
        headers: { 'content-type': 'text/csv' },
      },
    )
    expect(sent.status).toBe(200)
    return { shop, mend: () => run(`UPDATE alerts SET resolved_at = now() WHERE kind = 'statementPayment'`) }
  },
  async vatCountryDiffers() {
    const customer = await shop.newCustomer()
    await customer.add(await shop.newOffer(), 1)
    const orderId = (await customer.create('BE')).body['order_id'] as string
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'default', { country: 'FR' })
    await customer.capture(orderId)
    await watch()
    return {
      shop,
      mend: async () => (await run(`UPDATE orders SET state_changed_at = ${ago('8 days')}`), watch()),
    }
  },
  async orderInReview() {
    const { ours } = await shop.paidOrder(1)
    await transact(shop.db, (trx) => orderWrites(trx).move(ours.id, 'sendToReview', 'nothing_was_taken'))
    await watch()
    return {
      shop,
      mend: async () => (
        await run(`UPDATE orders SET state = 'completed' WHERE id = $1`, [ours.id]),
        watch()
      ),
    }
  },
  async paymentUnclear() {
    const { orderId } = await shop.approvedOrder(1)
    await shop.leaveCapturing(orderId)
    await run(`UPDATE orders SET capture_started_at = ${ago('61 minutes')} WHERE provider_order_id = $1`, [
      orderId,
    ])
    await watch()
    return {
      shop,
      mend: async () => (await pay.reconcileOrder(orderId), pay.sweep(), await settled(orderId), watch()),
    }
  },
  async providerRefuses() {
    const { customer, orderId } = await shop.approvedOrder(1)
    await fetch(`${shop.paypal.url}/_emulator/answers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        call: 'capture',
        times: 4,
        status: 401,
        body: { name: 'AUTHENTICATION_FAILURE' },
      }),
    })
    await customer.capture(orderId)
    shop.paypal.responses.clear()
    return { shop }
  },
  async dispute() {
    const { captureId } = await shop.paidOrder(1)
    const notify = (event: string, status: string, second: number) => {
      const at = `2026-11-01T10:00:0${second}Z`
      const read = readNotification({
        id: `WH-${event}`,
        event_type: `CUSTOMER.DISPUTE.${event}`,
        create_time: at,
        resource: {
          dispute_id: 'PP-D-9',
          update_time: at,
          reason: 'UNAUTHORISED',
          status,
          dispute_amount: { currency_code: 'EUR', value: '5.93' },
          seller_response_due_date: '2026-12-11T10:00:00Z',
          disputed_transactions: [{ seller_transaction_id: captureId }],
        },
      })
      return handleNotification(shop.checkout, read!)
    }
    await notify('CREATED', 'WAITING_FOR_SELLER_RESPONSE', 1)
    return { shop, mend: () => notify('RESOLVED', 'RESOLVED', 2) }
  },
  async manyHolds() {
    const offerId = await shop.newOffer({ slug: 'coveted', total_tickets: 200 })
    await shop.changeOffer(offerId, { tickets_held: 60 })
    await watch()
    return { shop, mend: async () => (await shop.changeOffer(offerId, { tickets_held: 0 }), watch()) }
  },
  async refundLate() {
    const { ours } = await shop.paidOrder(1)
    await run(
      `INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, created_at)
       SELECT capture_id, order_id, 1, 1, 'a_test', ${ago('11 days')} FROM captures WHERE order_id = $1`,
      [ours.id],
    )
    await watch()
    return {
      shop,
      mend: async () => (await run('DELETE FROM refunds WHERE order_id = $1', [ours.id]), watch()),
    }
  },
  async refundRefused() {
    const { ours, orderId, offerId } = await shop.paidOrder(2)
    const staff = await shop.newStaff('owner')
    const ask = async (deps: typeof shop.checkout) => {
      const wanted = { kind: 'lines', lines: [{ offer_id: offerId, quantity: 1 }] } as const
      const by = { actor: { userId: staff.id, name: staff.name } }
      await requestStaffRefund(
        deps,
        await shop.orderOf(orderId),
        { wanted, reason: 'error', note: 'sorry' },
        by,
      )
      await sendNow(deps, ours.id)
    }
    await ask(pay.withProvider({ refund: () => Promise.reject(new ProviderRefused('other')) }))
    await watch()
    return { shop, mend: async () => (await ask(shop.checkout), watch()) }
  },
  async notificationsWaiting() {
    await run(`INSERT INTO webhook_inbox (event_id, event_type, payload, received_at)
      VALUES ('E', 'TEST', '{}', ${ago('11 minutes')})`)
    await watch()
    return { shop, mend: async () => (await run(`DELETE FROM webhook_inbox WHERE event_id = 'E'`), watch()) }
  },
  async emailsWaiting() {
    const own = await ownShop({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` })
    await own.pool.query(queued('a@b.test', '31 minutes'))
    await own.mailer.deliver()
    const look = () => watchForAlerts(own.db, own.checkout.alerts)
    await look()
    return {
      shop: own,
      mend: async () => (await own.pool.query(`UPDATE emails SET state = 'sent', closed_at = now()`), look()),
    }
  },
  async emailsFailed() {
    const own = await ownShop({ SMTP_URL: mailServer.url })
    mailServer.refuse.set('nobody@b.test', { code: 550, text: '5.1.1 no such user' })
    await own.pool.query(queued('nobody@b.test', '1 minute'))
    await own.mailer.deliver()
    const look = () => watchForAlerts(own.db, own.checkout.alerts)
    await look()
    return {
      shop: own,
      mend: async () => (await own.pool.query(`UPDATE emails SET closed_at = ${ago('8 days')}`), look()),
    }
  },
  async messageLate() {
    await run(`INSERT INTO messages (id, language, name, email, message, due_at) VALUES
      (gen_random_uuid(), 'en', 'Ann', 'ann@b.test', 'When?', ${ago('1 hour')})`)
    await watch()
    return { shop, mend: async () => (await run('DELETE FROM messages'), watch()) }
  },
  async approvalUndone() {
    const [maker, checker] = [await shop.newStaff('owner'), await shop.newStaff('owner')]
    const hired = await shop.newCustomer()
    const role = { email: hired.email, role: 'support', reason: 'new' }
    const { id } = (await maker.post('/api/staff/people/', role)).body['approval'] as { id: number }
    await run(
      `UPDATE approvals SET decision = 'approved', decided_by = $2, decided_at = ${ago('61 seconds')} WHERE id = $1`,
      [id, checker.id],
    )
    await run(`UPDATE users SET role = 'witness' WHERE id = $1`, [hired.id])
    await finishApprovals({ db: shop.db, shop: shop.config }, [])
    await watch()
    return {
      shop,
      mend: async () => (
        await run(`UPDATE approvals SET decided_at = ${ago('25 hours')} WHERE id = $1`, [id]),
        watch()
      ),
    }
  },
  async cardMissedDraw() {
    const clerk = await shop.newStaff('postal')
    const day = (days: number): Date => new Date(Date.now() - days * 86_400_000)
    const offerId = await shop.newOffer({ slug: 'drawn-already', created_at: day(60), end_date: day(4) })
    await shop.changeOffer(offerId, { draw_at: new Date() })
    const card = postcard(offerId, { received_on: day(4).toISOString().slice(0, 10) })
    expect((await clerk.post('/api/staff/post/entries/', card)).body).toMatchObject({
      refusal: 'registered_late',
    })
    return { shop, mend: () => run(`UPDATE alerts SET resolved_at = now() WHERE kind = 'cardMissedDraw'`) }
  },
  async postNotCounted() {
    const { shop: at, time, newContest, goOn, newPostcard, work } = await draws()
    const contest = await newContest()
    const clerk = await at.newStaff('postal')
    expect((await clerk.post('/api/staff/post/entries/', newPostcard(contest.id))).status).toBe(201)
    await goOn(contest, 'list')
    await time.goTo(contest.draw - DRAW_TIMES.sealMargin - DRAW_TIMES.objections / 2)
    const look = () => watchForAlerts(at.db, at.checkout.alerts)
    await look()
    return {
      shop: at,
      mend: async () => (
        await time.goTo(contest.draw + 3),
        work(),
        await sleepUntilDrawn(at, contest.id),
        look()
      ),
    }
  },
  async drawWithoutTerms() {
    const { shop: at, time, newContest, work } = await draws()
    const end = time.seconds() + 3_600
    await newContest({
      slug: `too-soon-${end}`,
      end_date: new Date(end * 1_000),
      draw_at: new Date((end + 899) * 1_000),
    })
    return {
      shop: at,
      mend: async () => {
        await at.unlockTerms()
        await at.pool.query(`UPDATE offers SET draw_at = end_date + interval '1 day' WHERE slug = $1`, [
          `too-soon-${end}`,
        ])
        await work()
      },
    }
  },
  async beaconSilent() {
    const { shop: at, beacon, time, newContest, newPostcard, goOn, work } = await draws()
    const contest = await newContest()
    const clerk = await at.newStaff('postal')
    expect((await clerk.post('/api/staff/post/entries/', newPostcard(contest.id))).status).toBe(201)
    await goOn(contest, 'seal')
    beacon.behave('missing')
    await time.goTo(contest.draw + 200)
    await work()
    return { shop: at, mend: async () => (beacon.behave('honest'), work()) }
  },
  async registerContradicted() {
    const { shop: at, witnesses, newContest, ask, time } = await witnessedDraws()
    await newContest()
    await ask()
    const origin = `${at.draws.host}/draws`
    const seen = [0, 1].map((place) => witnesses.seen(place))
    const known = seen.map((one) => one.get(origin)!)
    for (const one of seen) one.set(origin, { ...one.get(origin)!, size: 99 })
    await newContest()
    await ask()
    return {
      shop: at,
      mend: async () => {
        for (const [place, one] of seen.entries()) one.set(origin, known[place]!)
        await time.goTo(time.seconds() + 60)
        await ask()
      },
    }
  },
  async witnessesSilent() {
    const { shop: at, witnesses, newContest, ask, time } = await witnessedDraws()
    await newContest()
    await ask()
    witnesses.behave('error')
    await time.goTo(time.seconds() + 4_000)
    await ask()
    return {
      shop: at,
      mend: async () => {
        witnesses.behave('honest')
        await newContest()
        await time.goTo(time.seconds() + 600)
        await ask()
      },
    }
  },
  async stampsMissing() {
    const { shop: at, tsa, newContest, stamp, time } = await stampedDraws()
    await newContest()
    tsa.behave('refuses')
    await time.goTo(time.seconds() + 400)
    await stamp()
    return { shop: at, mend: async () => (tsa.behave('honest'), stamp()) }
  },
  async jobMissing() {
    const own = await ownShop()
    const ended = jobRuns(own.db)
    for (const job of Object.keys(JOBS)) await ended(job)
    await own.pool.query(`UPDATE job_runs SET ended_at = ${ago('10 minutes')} WHERE job = 'recover payments'`)
    const look = () => watchJobs(own.db, own.checkout.alerts, async () => {})
    await look()
    return { shop: own, mend: async () => (await jobRuns(own.db)('recover payments'), look()) }
  },
  async workerMissing() {
    const own = await ownShop()
    await own.pool.query(
      `INSERT INTO job_runs (job, ended_at) VALUES ('deliver emails', ${ago('10 minutes')})`,
    )
    const look = () => watchJobs(own.db, own.checkout.alerts, async () => {})
    await look()
    return {
      shop: own,
      mend: async () => {
        const worker = await startProcess(own, { ROLES: 'worker' })
        onTestFinished(async () => void (await worker.end('SIGTERM')))
        await worker.whenReady()
        await vi.waitUntil(async () => (await look(), !(await isOpen(own, 'workerMissing'))), {
          timeout: 60_000,
          interval: 500,
        })
      },
    }
  },
  async providerDown() {
    const own = await ownShop()
    const { port } = new URL(own.config.paypalBaseUrl)
    await own.paypal.close()
    await lookTwice(own)
    return {
      shop: own,
      mend: async () => {
        const again = await startPaypalEmulator({ port: Number(port), webhookUrl: own.config.publicUrl })
        onTestFinished(() => again.close())
        await lookTwice(own)
      },
    }
  },
  async mailDown() {
    const port = await freePort()
    const own = await ownShop({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    await lookTwice(own)
    return {
      shop: own,
      mend: async () => {
        const server = await startMailServer(port)
        onTestFinished(() => server.close())
        await lookTwice(own)
      },
    }
  },
  async databaseAway() {
    const own = await ownShop()
    const name = databaseName(own)
    await asAdmin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await asAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    return { shop: own, mend: () => asAdmin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`) }
  },
  async databaseReadOnly() {
    const own = await ownShop()
    const name = databaseName(own)
    await asAdmin(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await asAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    return {
      shop: own,
      mend: async () => {
        await asAdmin(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
        await asAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
      },
    }
  },
  async databaseDegraded() {
    const own = await ownShop()
    const name = databaseName(own)
    const { db } = openDatabase({ url: own.url, max: 1, log: silentLog, applicationName: 'looking' })
    onTestFinished(() => db.destroy())
    await lookTwice(own, {}, db)
    const { rows } = await own.pool.query<{ used: number }>(
      'SELECT count(*)::int AS used FROM pg_stat_activity WHERE datname = current_database()',
    )
    await asAdmin(`ALTER DATABASE ${name} CONNECTION LIMIT ${rows[0]!.used + 2}`)
    await lookTwice(own, {}, db)
    return {
      shop: own,
      mend: async () => (await asAdmin(`ALTER DATABASE ${name} CONNECTION LIMIT -1`), lookTwice(own, {}, db)),
    }
  },
  async diskLow() {
    const dataDir = temporaryFolder()
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir]).status).toBe(0)
    const unmount = () => spawnSync('umount', [dataDir])
    onTestFinished(() => void unmount())
    const own = await ownShop({ DATA_DIR: dataDir })
    await lookTwice(own)
    return {
      shop: own,
      mend: async () => {
        unmount()
        await lookTwice(own)
        await own.pool.query(`UPDATE alerts SET resolved_at = now() WHERE subject NOT LIKE '%dataDir'`)
      },
    }
  },
  async backupOld() {
    const own = await ownShop()
    await own.pool.query(`INSERT INTO backups (taken_at) VALUES (${ago('80 hours')})`)
    await lookTwice(own)
    return { shop: own, mend: () => lookTwice(own) }
  },
  async clockSkew() {
    const own = await ownShop()
    const env = { FAKETIME: '+60s', LD_PRELOAD: FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    const worker = await startProcess(own, { ...env, ROLES: 'worker' })
    onTestFinished(async () => void (await worker.end('SIGKILL')))
    await vi.waitUntil(() => isOpen(own, 'clockSkew'), { timeout: 120_000, interval: 500 })
    return { shop: own, env, mend: async () => (await worker.end('SIGKILL'), lookTwice(own)) }
  },
  async logKeyWrong() {
    const own = await ownShop()
    await own.pool.query(`INSERT INTO draw_logs (id, origin, key) VALUES (0, 'shop.example/register', $1)`, [
      own.draws.key.verifierKey('shop.example'),
    ])
    const env = { LOG_KEY: 'ab'.repeat(32) }
    const refused = await startProcess(own, env)
    const [code] = (await once(refused.child, 'exit')) as [number | null]
    expect(code).toBe(1)
    return { shop: own, env, mend: () => lookTwice(own) }
  },
  async webhookFails() {
    const own = await ownShop({ ALERT_WEBHOOK_URL: `${receiver.url}/topic`, ALERT_WEBHOOK_FORMAT: 'ntfy' })
    receiver.always(withStatus(403, 'forbidden'))
    await own.alertSender().test()
    receiver.always(withStatus(200))
    return { shop: own, mend: () => own.alertSender().test() }
  },
}

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

const queued = (recipient: string, age: string): string =>
  `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html, state, queued_at)
   VALUES (gen_random_uuid(), 'k', 'test', '${recipient}', 'fr', 'x', 'x', 'x', 'queued', ${ago(age)})`
const isOpen = async ({ pool }: Pick<TestShop, 'pool'>, kind: AlertKind): Promise<boolean> =>
  (await pool.query('SELECT 1 FROM alerts WHERE kind = $1 AND resolved_at IS NULL', [kind])).rows.length > 0
const settled = (orderId: string) =>
  vi.waitUntil(async () => ['completed', 'held', 'cancelled'].includes(await shop.orderState(orderId)))
const sleepUntilDrawn = (at: TestShop, id: number) =>
  vi.waitUntil(async () => {
    const { state } = await at.db
      .selectFrom('offers')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return state !== 'listed'
  })

/** In the short form; the long one makes every fault. */
const QUICK: readonly AlertKind[] = ['wrongAmount', 'databaseAway', 'webhookFails']
/** What a fault needs of the machine. */
const NEEDS: Partial<Record<AlertKind, [isThere: () => boolean, what: string]>> = {
  diskLow: [() => process.geteuid?.() === 0, 'mounting a small disk needs root'],
  clockSkew: [() => spawnSync('faketime', ['--version']).error === undefined, 'libfaketime is not installed'],
}

describe('followed once', () => {
  test.for(ALERT_KINDS.filter((kind) => isExtended || QUICK.includes(kind)))(
    '%s: its fault is made, its commands print what the page says, and it ends',
    { timeout: 300_000 },
    async (kind, { skip }) => {
      const needs = NEEDS[kind]
      skip(needs !== undefined && !needs[0](), needs?.[1])
      await run('UPDATE alerts SET resolved_at = now() WHERE resolved_at IS NULL')
      const made = await FAULTS[kind]()
      const env = commandEnv(made)
      const asked = (command: string) => command.replaceAll('localhost:3000', `localhost:${made.shop.port}`)
      for (const { command, expected } of sectionOf(kind)!.steps) {
        const printed = await outputOf(asked(command), env)
        expect(printed, command).toMatch(patternOf(expected))
      }
      await made.mend?.()
      if (!made.mend || UNSTORED.includes(kind)) return
      expect(await outputOf(`npm run alerts -- ${kind}`, commandEnv({ shop: made.shop }))).toBe(
        `No alert of ${kind} is open.\n`,
      )
    },
  )
})
