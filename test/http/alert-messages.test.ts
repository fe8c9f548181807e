import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ALERT_KINDS, type AlertKind, type WebhookFormat } from '#features/alerts/alerts.rules.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { bareEnvironment, program } from '../../tools/testbed/program.ts'
import { type TestShop, openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startWebhookReceiver, withStatus } from '../support/webhook-receiver.ts'

const TOPIC = 'topic-that-opens-it-9f2'
const PASSWORD = 'pass-word-of-the-receiver'
const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const secure = await startWebhookReceiver({ isSecure: true })
afterAll(() => secure.close())

const lines: string[] = []
const OPERATOR = 'operator@shop.test'
const shopWith = (format: WebhookFormat, url: string, env: Record<string, string> = {}): Promise<TestShop> =>
  openShop({
    env: {
      ALERT_EMAIL: OPERATOR,
      ALERT_WEBHOOK_URL: url,
      ALERT_WEBHOOK_FORMAT: format,
      ALERT_LANGUAGE: 'en',
      LOG_LEVEL: 'info',
      ...env,
    },
    logLine: (line) => lines.push(JSON.stringify(line)),
  })
const withLogin = (url: string): string => url.replace('://', `://volant:${PASSWORD}@`)
const shop = await shopWith('ntfy', `${withLogin(receiver.url)}/inner/${TOPIC}`)

beforeEach(async () => {
  receiver.taken.length = 0
  receiver.always(withStatus(200))
  await shop.pool.query(
    `TRUNCATE alert_messages; DELETE FROM alerts; DELETE FROM emails WHERE kind = 'alert'`,
  )
})

const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const { alerts } = shop.checkout
const raise = (kind: AlertKind, subject: string, details = {}) =>
  alerts.raise(shop.db, { kind, subject, details })
const emails = (): Promise<{ subject: string; body_text: string }[]> =>
  run(`SELECT subject, body_text FROM emails WHERE recipient = $1 ORDER BY queued_at`, [OPERATOR])
const messages = () => run(`SELECT kind, event, state, attempts, error FROM alert_messages ORDER BY id`)
const openKinds = async (): Promise<string[]> =>
  (await run('SELECT kind FROM alerts WHERE resolved_at IS NULL ORDER BY id')).map(({ kind }) => kind)
/** As if so much time had passed since messages and alerts. */
const later = (seconds: number) =>
  run(
    `WITH moved AS (UPDATE alerts SET since = since - make_interval(secs => $1), last_seen = last_seen - make_interval(secs => $1),
         told_at = told_at - make_interval(secs => $1), resolved_at = resolved_at - make_interval(secs => $1))
       UPDATE alert_messages SET at = at - make_interval(secs => $1), due_at = due_at - make_interval(secs => $1)`,
    [seconds],
  )

describe('one message', () => {
  const TIMES = { window: 30, more: 300, rest: 60, repeat: 24 * 3_600 }
  const sender = shop.alertSender(TIMES)
  const events = async () => (await messages()).map(({ event }) => event)

  test('tells of eighty stray payments, with their number and the first three, and where to look', async () => {
    for (let at = 1; at <= 80; at += 1) await raise('unknownPayment', `CAPTURE-${at}`, { cents: at * 100 })
    await sender.send()
    expect(await events()).toEqual([])
    await later(30)
    await sender.send()
    await sender.send()
    const [email, ...others] = await emails()
    expect(others).toEqual([])
    expect(receiver.taken).toHaveLength(1)
    const [{ body }] = receiver.taken as [(typeof receiver.taken)[number]]
    for (const text of [email?.body_text, body.message]) {
      expect(text).toMatch(/found this 80 times, first on \d\d\/\d\d\/\d{4} \d\d:\d\d \(Brussels time\)/)
      expect(text).toMatch(/Subject: CAPTURE-1\n.*€1\.00[^]*CAPTURE-2\n[^]*CAPTURE-3\n[^]*and 77 more/)
      expect(text).not.toContain('CAPTURE-4\n')
      expect(text).toContain(`${shop.config.publicUrl}/admin/alerts#unknownPayment`)
      expect(text).toContain('docs/runbooks.md#unknownpayment')
      expect(text).toContain('refund it there')
    }
    expect(email?.subject).toBe('Volant: A payment at PayPal belongs to no order of the shop')
  })

  test('comes again for more of the kind after a while, each day while nobody looks after them, and at the end', async () => {
    await raise('manyHolds', 'one')
    await later(30)
    await sender.send()
    for (const subject of ['two', 'three']) await raise('manyHolds', subject)
    await later(299)
    await sender.send()
    expect(await events()).toEqual(['opened'])
    await later(1)
    await sender.send()
    expect(receiver.taken.at(-1)?.body.message).toMatch(/2 more times; 3 alerts are open in all/)
    await later(TIMES.repeat)
    const staff = await shop.newStaff('support')
    const all = (await staff.get('/api/staff/alerts/')).body['items'] as { id: number }[]
    for (const { id } of all.slice(1)) await staff.post(`/api/staff/alerts/${id}/take/`, {})
    await sender.send()
    expect(receiver.taken.at(-1)?.body.message).toMatch(/Still open since .*: 3 alerts/)
    await later(TIMES.repeat)
    await staff.post(`/api/staff/alerts/${all[0]!.id}/take/`, {})
    await sender.send()
    expect(await events()).toEqual(['opened', 'more', 'repeated'])
    await alerts.settle(shop.db, 'manyHolds', [])
    await later(59)
    await sender.send()
    expect(await events()).toHaveLength(3)
    await later(1)
    await sender.send()
    await later(TIMES.repeat)
    await sender.send()
    expect(await events()).toEqual(['opened', 'more', 'repeated', 'resolved'])
    expect(receiver.taken.map(({ body }) => body.title)).toEqual([
      ...Array<string>(3).fill('Volant: Many tickets of a contest are reserved and not paid'),
      'Volant: over: Many tickets of a contest are reserved and not paid',
    ])
    expect((await emails()).map(({ subject }) => subject)).toEqual(
      receiver.taken.map(({ body }) => body.title),
    )
    expect(receiver.taken.map(({ body }) => body.message).at(-1)).toMatch(
      /Over, as seen on .*It had begun on/,
    )
  })

  test('tells of what was over before it, and opens nothing that would have to end', async () => {
    await raise('wrongAmount', 'short')
    await alerts.settle(shop.db, 'wrongAmount', [])
    await later(3_600)
    await sender.send()
    await later(3_600)
    await sender.send()
    expect(await events()).toEqual(['passed'])
    expect(receiver.taken.map(({ body }) => body.title)).toEqual([
      'Volant: over: The amount charged is not the amount ordered',
    ])
  })

  test('comes once from five processes that send at the same time', async () => {
    for (let at = 1; at <= 5; at += 1) await raise('dispute', `D-${at}`)
    await later(30)
    await Promise.all(Array.from({ length: 5 }, () => shop.alertSender(TIMES).send()))
    expect([await events(), receiver.taken.length, (await emails()).length]).toEqual([['opened'], 1, 1])
  })

  test('leaves an alert that is raised while it is written to the next one', async () => {
    await raise('dispute', 'D-1')
    await later(30)
    const client = await shop.pool.connect()
    // The message looks for the number of an order.
    await client.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    const sending = sender.send()
    await vi.waitUntil(async () => {
      const waiting = await run(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return waiting.length > 0
    })
    await raise('dispute', 'D-2')
    await client.query('COMMIT')
    client.release()
    await sending
    expect(receiver.taken.at(-1)?.body.message).toMatch(/D-1/)
    expect(receiver.taken.at(-1)?.body.message).not.toMatch(/D-2/)
    await later(TIMES.more)
    await sender.send()
    expect(await events()).toEqual(['opened', 'more'])
    expect(receiver.taken.at(-1)?.body.message).toMatch(/D-2/)
  })

  test('is left to the next process by one that stops', async () => {
    const kinds = ['dispute', 'manyHolds', 'beaconSilent'] as const
    for (const kind of kinds) await raise(kind, 'x')
    await later(30)
    const stopping = shop.alertSender(TIMES, () => receiver.taken.length > 0)
    await stopping.send()
    await stopping.send()
    expect(receiver.taken).toHaveLength(1)
    await sender.send()
    expect(receiver.taken).toHaveLength(kinds.length)
  })

  test('is never repeated where the setting says so', async () => {
    const once = shop.alertSender({ ...TIMES, repeat: 0 })
    await raise('dispute', 'D')
    await later(30)
    await once.send()
    await later(10 * TIMES.repeat)
    await once.send()
    expect(await events()).toEqual(['opened'])
  })
})

test.each(LANGUAGES)('every kind has a message in %s, without a gap or a key', async (language) => {
  const texts = await Promise.all(ALERT_KINDS.map((kind) => messageIn(language, kind)))
  for (const text of texts) expect(text).not.toMatch(/[{}]|undefined|\b(?:emails|consoleAlerts|doctor)\./)
  expect(new Set(texts).size).toBe(ALERT_KINDS.length)
})

async function messageIn(language: Language, kind: AlertKind): Promise<string> {
  const { plainText, writeAlert } = await import('#features/alerts/server/alert-text.ts')
  const finding = { key: 'doctor.mailServer.login', values: { host: 'mail.example', reason: '535' } }
  const facts = {
    since: '2026-11-29T10:00:00.000Z',
    fresh: 5,
    open: 5,
    examples: [{ subject: 'web-1', order_number: null, details: { finding, cents: 500 } }],
  }
  const message = { kind, event: 'opened', at: new Date('2026-11-29T10:00:30Z'), facts } as const
  const written = writeAlert(message, shop.config, language)
  return `${written.subject}\n${plainText(written, language)}`
}

const sendOne = async (from: TestShop = shop, kind: AlertKind = 'dispute', subject = 'D-1') => {
  await from.checkout.alerts.raise(from.db, { kind, subject, details: { reason: 'a < b & c > d' } })
  await from.alertSender().send()
}

describe('the shape of', () => {
  test('ntfy: JSON to the server, with the topic, a priority and a link; the login as a header', async () => {
    await sendOne()
    await sendOne(shop, 'providerDown')
    expect(receiver.taken.map(({ path: to }) => to)).toEqual(['/inner', '/inner'])
    const login = Buffer.from(`volant:${PASSWORD}`).toString('base64')
    for (const { headers } of receiver.taken)
      expect(headers).toMatchObject({ authorization: `Basic ${login}`, 'content-type': 'application/json' })
    expect(receiver.taken.map(({ body }) => body)).toMatchObject([
      {
        topic: TOPIC,
        priority: 4,
        tags: ['rotating_light'],
        click: expect.stringContaining('/admin/alerts#dispute'),
      },
      { topic: TOPIC, priority: 5 },
    ])
    await alerts.settle(shop.db, 'providerDown', [])
    await shop.alertSender().send()
    expect(receiver.taken.at(-1)?.body).toMatchObject({ priority: 3, tags: ['white_check_mark'] })
  })

  test('ntfy: a long message stays below the bytes of a message', async () => {
    await alerts.raise(shop.db, { kind: 'dispute', subject: 'é'.repeat(9_000) })
    await shop.alertSender().send()
    expect(Buffer.byteLength(receiver.taken[0]?.body.message)).toBeLessThanOrEqual(4_096)
  })

  test('Slack: one text, in which nothing of ours is markup', async () => {
    const slack = await shopWith('slack', `${receiver.url}/services/T000/B000/secret`)
    await sendOne(slack)
    expect(receiver.taken).toMatchObject([
      { path: '/services/T000/B000/secret', body: { text: expect.any(String) } },
    ])
    const { text } = receiver.taken[0]!.body
    expect(text).toMatch(/^\*Volant: A buyer disputes a payment at PayPal\*\n/)
    expect(text).toContain('a &lt; b &amp; c &gt; d')
  })

  test('Alertmanager’s webhooks: version 4, one alert by the same labels, firing and resolved', async () => {
    const other = await shopWith('alertmanager', `${receiver.url}/hook/`)
    await sendOne(other, 'providerDown', 'web-1/provider')
    await other.checkout.alerts.settle(other.db, 'providerDown', [])
    await other.alertSender().send()
    const [firing, resolved] = receiver.taken.map(({ body }) => body)
    expect(receiver.taken.map(({ path: to }) => to)).toEqual(['/hook/', '/hook/'])
    const labels = {
      alertname: 'VolantProviderDown',
      severity: 'critical',
      service: 'volant',
      shop: new URL(other.config.publicUrl).host,
    }
    expect(firing).toMatchObject({
      version: '4',
      status: 'firing',
      receiver: 'volant',
      truncatedAlerts: 0,
      groupLabels: { alertname: 'VolantProviderDown' },
      commonLabels: labels,
      externalURL: other.config.publicUrl,
      alerts: [
        {
          status: 'firing',
          labels,
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: expect.stringContaining('/admin/'),
        },
      ],
    })
    expect(firing.alerts[0].annotations).toMatchObject({
      summary: expect.stringContaining('PayPal'),
      runbook: 'docs/runbooks.md#providerdown',
    })
    expect(resolved).toMatchObject({ status: 'resolved', groupKey: firing.groupKey, commonLabels: labels })
    const { startsAt, endsAt, fingerprint } = resolved.alerts[0]
    expect([startsAt, fingerprint]).toEqual([firing.alerts[0].startsAt, firing.alerts[0].fingerprint])
    expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(Date.parse(startsAt))
  })

  const hasAlertmanager = spawnSync('prometheus-alertmanager', ['--version']).error === undefined
  test.skipIf(!hasAlertmanager)(
    'a real Alertmanager: takes the alert, keeps it as one, sends on a body of our shape, and ends it',
    { timeout: 120_000 },
    async () => {
      const folder = temporaryFolder()
      const [port, config] = [await freePort(), path.join(folder, 'alertmanager.yml')]
      writeFileSync(
        config,
        `route: { receiver: volant, group_wait: 0s, group_interval: 1s, group_by: [alertname, shop] }
receivers: [{ name: volant, webhook_configs: [{ url: '${receiver.url}/from-alertmanager' }] }]`,
      )
      const engine = program({
        name: 'alertmanager',
        command: 'prometheus-alertmanager',
        args: [
          `--config.file=${config}`,
          `--storage.path=${folder}/data`,
          `--web.listen-address=127.0.0.1:${port}`,
          '--cluster.listen-address=',
        ],
        env: bareEnvironment(),
        logFile: path.join(folder, 'log'),
        isReady: () =>
          fetch(`http://127.0.0.1:${port}/-/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
      })
      await engine.start()
      onTestFinished(() => engine.kill())
      const address = `http://127.0.0.1:${port}/api/v2/alerts`
      const other = await shopWith('alertmanager', address)
      const known = async () =>
        (await (await fetch(address)).json()) as { labels: Record<string, string>; endsAt: string }[]
      await sendOne(other, 'providerDown', 'web-1/provider')
      await sendOne(other, 'providerDown', 'web-2/provider')
      const kept = await known()
      expect(kept.map(({ labels }) => labels['alertname'])).toEqual(['VolantProviderDown'])
      // Until it is told again, which is within a day.
      expect(Date.parse(kept[0]!.endsAt) - Date.now()).toBeGreaterThan(24 * 3_600_000)
      await expect.poll(() => receiver.taken.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(1)
      const forwarded = receiver.taken[0]!.body
      expect(forwarded.commonLabels.alertname).toBe('VolantProviderDown')

      // What we send without it has the same form.
      receiver.taken.length = 0
      const direct = await shopWith('alertmanager', `${receiver.url}/direct`)
      await sendOne(direct, 'providerDown', 'web-1/provider')
      const own = receiver.taken.find(({ path: to }) => to === '/direct')!.body
      const keys = (value: object): string[] => Object.keys(value).toSorted()
      expect(keys(own)).toEqual(keys(forwarded))
      expect(keys(own.alerts[0])).toEqual(keys(forwarded.alerts[0]))

      await other.checkout.alerts.settle(other.db, 'providerDown', [])
      await other.alertSender().send()
      await expect.poll(known, { timeout: 30_000 }).toEqual([])
    },
  )
})

describe('a webhook that', () => {
  const sender = shop.alertSender()
  const attempt = async (): Promise<void> => {
    await later(3_600)
    await sender.send()
  }
  const state = async () => (await messages()).find(({ kind }) => kind === 'dispute')

  test('fails for a while is tried again with longer pauses, and gets the message once', async () => {
    receiver.reply(withStatus(500), withStatus(503), withStatus(502))
    await sendOne()
    const pauses: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const [{ pause }] = (await run(
        `SELECT round(extract(epoch FROM due_at - tried_at))::int AS pause FROM alert_messages WHERE kind = 'dispute'`,
      )) as [{ pause: number }]
      pauses.push(pause)
      // Not before it is due.
      await sender.send()
      expect(receiver.taken.length).toBe(round + 1)
      await run(`UPDATE alert_messages SET due_at = clock_timestamp() WHERE kind = 'dispute'`)
      await sender.send()
    }
    expect(pauses).toEqual([10, 20, 40])
    expect(await state()).toMatchObject({ state: 'sent', attempts: 4, error: null })
    await sender.send()
    expect(receiver.taken.filter(({ body }) => String(body.click).endsWith('#dispute'))).toHaveLength(4)
  })

  test.each<[string, number, string, Record<string, string>]>([
    ['an unknown token', 403, 'invalid_token', {}],
    ['no such receiver', 404, '<html><h1>Not\n found</h1>', {}],
    ['a bad request', 400, 'x'.repeat(10_000), {}],
    ['another address', 302, '', { location: 'https://elsewhere.example/secret' }],
    ['another address for good', 308, '', { location: '/login' }],
  ])('refuses with %s is not asked again; an email and the console say so', async (...row) => {
    const [, status, body, headers] = row
    receiver.always(withStatus(status, body, headers))
    await sendOne()
    await attempt()
    expect(receiver.taken.filter(({ body: sent }) => String(sent.click).endsWith('#dispute'))).toHaveLength(1)
    expect(await state()).toMatchObject({
      state: 'refused',
      error: expect.stringMatching(`^status ${status}`),
    })
    expect(await openKinds()).toEqual(['dispute', 'webhookFails'])
    const told = (await emails()).map(({ subject }) => subject)
    expect(told).toContain('Volant: Messages about alerts do not reach the webhook')
    const staff = await shop.newStaff('support')
    const { channels, items } = (await staff.get('/api/staff/alerts/')).body
    expect(channels).toMatchObject({
      email: true,
      webhook: {
        format: 'ntfy',
        sent_at: null,
        failing_since: expect.any(String),
        error: expect.stringContaining(String(status)),
      },
    })
    expect(JSON.stringify(items)).toContain(`status ${status}`)
    receiver.always(withStatus(200))
    await raise('beaconSilent', 'b')
    await attempt()
    await attempt()
    expect(await openKinds()).toEqual(['dispute', 'beaconSilent'])
    const { channels: after } = (await staff.get('/api/staff/alerts/')).body
    expect(after.webhook).toMatchObject({ sent_at: expect.any(String), failing_since: null, error: null })
  })

  test('has too many calls says when to come back', async () => {
    receiver.reply(withStatus(429, '', { 'retry-after': '120' }))
    await sendOne()
    expect(await state()).toMatchObject({ state: 'queued', attempts: 1 })
    const [{ seconds }] = (await run(
      `SELECT extract(epoch FROM due_at - clock_timestamp())::int AS seconds FROM alert_messages WHERE kind = 'dispute'`,
    )) as [{ seconds: number }]
    expect(seconds).toBeGreaterThan(100)
    expect(seconds).toBeLessThanOrEqual(120)
  })

  test('comes back while its message waited gets what holds now, and nothing of what has passed', async () => {
    receiver.always(withStatus(500))
    await sendOne()
    await attempt()
    await raise('dispute', 'D-2')
    await attempt()
    receiver.always(withStatus(200))
    receiver.taken.length = 0
    await attempt()
    const disputes = () => receiver.taken.filter(({ body }) => String(body.click).endsWith('#dispute'))
    expect(disputes()).toHaveLength(1)
    expect(disputes()[0]?.body.message).toMatch(/2 alerts are open in all/)

    receiver.always(withStatus(500))
    await raise('postNotCounted', 'contest')
    await attempt()
    await alerts.settle(shop.db, 'postNotCounted', [])
    await attempt()
    receiver.always(withStatus(200))
    receiver.taken.length = 0
    await attempt()
    expect(receiver.taken.filter(({ body }) => String(body.click).endsWith('#postNotCounted'))).toEqual([])
    expect((await emails()).filter(({ subject }) => subject.includes('cards'))).toHaveLength(2)
  })

  test('takes its time gets the end that was decided while the message was on its way', async () => {
    let respond = (): void => {}
    const held = new Promise<void>((resolve) => (respond = resolve))
    receiver.always((response) => void held.then(() => withStatus(200)(response)))
    const sending = sendOne()
    await vi.waitUntil(() => receiver.taken.length === 1)
    await alerts.settle(shop.db, 'dispute', [])
    await shop.alertSender().send()
    expect(await messages()).toMatchObject([{ event: 'opened' }, { event: 'resolved', state: 'superseded' }])
    respond()
    await sending
    expect(receiver.taken.map(({ body }) => String(body.title).includes('over:'))).toEqual([false, true])
    expect(await messages()).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
  })

  test.each<[string, () => Promise<string>, RegExp]>([
    ['nobody listens at', async () => `http://127.0.0.1:${await freePort()}/${TOPIC}`, /ECONNREFUSED/],
    ['has no name', async () => `http://no-such-host.invalid/${TOPIC}`, /ENOTFOUND|EAI_AGAIN/],
    ['has a certificate that nobody vouches for', async () => `${secure.url}/${TOPIC}`, /SELF_SIGNED|CERT/],
    ['speaks no TLS', async () => `${receiver.url.replace('http:', 'https:')}/${TOPIC}`, /SSL|EPROTO/i],
    [
      'hangs up',
      async () => {
        receiver.always((response) => response.destroy())
        return `${receiver.url}/${TOPIC}`
      },
      /UND_ERR_SOCKET|ECONNRESET|other side closed/,
    ],
  ])('%s is tried again; after three failures an email tells of it', async (_, address, reason) => {
    const other = await shopWith('ntfy', await address())
    const own = async (statement: string) => (await other.pool.query(statement)).rows
    await sendOne(other)
    for (let round = 0; round < 3; round += 1) {
      const failing = await own(`SELECT 1 FROM alerts WHERE kind = 'webhookFails' AND resolved_at IS NULL`)
      expect(failing.length).toBe(round < 2 ? 0 : 1)
      await own(`UPDATE alert_messages SET due_at = clock_timestamp() WHERE state = 'queued'`)
      await other.alertSender().send()
    }
    const [stored] = await own(`SELECT state, error FROM alert_messages WHERE kind = 'dispute'`)
    expect(stored).toMatchObject({ state: 'queued', error: expect.stringMatching(reason) })
    const told = await own(`SELECT subject FROM emails WHERE recipient = '${OPERATOR}'`)
    expect(told).toContainEqual({ subject: 'Volant: Messages about alerts do not reach the webhook' })
    const untold = await own(`SELECT state FROM alert_messages WHERE kind = 'webhookFails'`)
    expect(untold).toEqual([{ state: 'unsent' }])
  })

  test('never responds is left after its time, also when it responds drop by drop', async () => {
    const { post } = await import('#features/alerts/server/webhook.ts')
    const { writeAlert } = await import('#features/alerts/server/alert-text.ts')
    const facts = { since: new Date().toISOString(), fresh: 1, open: 1, examples: [] }
    const message = { kind: 'dispute', event: 'opened', at: new Date(), facts } as const
    const told = {
      message,
      written: writeAlert(message, shop.config, 'en'),
      language: 'en',
      shop: 'shop',
      publicUrl: shop.config.publicUrl,
      keepSeconds: 60,
    } as const
    const webhook = { url: `${receiver.url}/${TOPIC}`, format: 'slack' } as const
    receiver.reply(
      () => {},
      (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write('.'), 20)
        response.on('close', () => clearInterval(timer))
      },
    )
    const late = { kind: 'failed', error: 'no answer within 0.2 s' }
    expect(await post(webhook, told, 200)).toEqual(late)
    // It was taken: what follows the status is not waited for.
    expect(await post(webhook, told, 200)).toEqual({ kind: 'sent' })
    // An address that is not encoded rightly is an address.
    for (const format of ['ntfy', 'slack', 'alertmanager'] as const)
      expect(await post({ url: `${receiver.url}/%zz`, format }, told)).toEqual({ kind: 'sent' })
  })

  test('an email only is not told of a mail server that is down, by any email', async () => {
    await sendOne(shop, 'mailDown', 'web-1/mailServer')
    expect(await emails()).toEqual([])
    expect(receiver.taken).toHaveLength(1)
    const only = await openShop({ env: { ALERT_EMAIL: OPERATOR } })
    await sendOne(only, 'mailDown', 'web-1/mailServer')
    const { rows } = await only.pool.query(`SELECT 1 FROM emails WHERE recipient = '${OPERATOR}'`)
    expect(rows).toEqual([])
    // Where it shows then: the console, the readiness, and the figures.
    const staff = await only.newStaff('support')
    expect((await staff.get('/api/staff/alerts/')).body).toMatchObject({
      items: [{ kind: 'mailDown' }],
      open: { mailDown: 1 },
      channels: { email: true, webhook: null },
    })
    expect((await only.anonymous('GET', '/api/health/ready')).body).toEqual({
      status: 'ok',
      warnings: ['mailDown'],
    })
  })
})

test('a test alert reaches the webhook, or says why not', async () => {
  const owner = await shop.newStaff('owner')
  const send = () => owner.post('/api/staff/system/test-alert/')
  expect(await send()).toMatchObject({ status: 200, body: { is_sent: true, error: null } })
  expect(receiver.taken).toMatchObject([{ body: { title: 'Volant: Test alert' } }])
  receiver.reply(withStatus(403, `no ${TOPIC} for you`))
  const { body } = await send()
  expect(body).toEqual({ is_sent: false, error: 'status 403 no … for you' })
  expect(await openKinds()).toEqual(['webhookFails'])
  await send()
  expect(await openKinds()).toEqual([])
  const without = await openShop({})
  const other = await without.newStaff('owner')
  expect((await other.post('/api/staff/system/test-alert/')).body).toMatchObject({ code: 'system.noWebhook' })
})

test('no line of the log, no row and no response has a secret of the webhook’s address', async () => {
  receiver.always(withStatus(500, `${TOPIC} ${PASSWORD}`))
  await sendOne()
  const staff = await shop.newStaff('owner')
  const responses = [
    await staff.get('/api/staff/alerts/'),
    await staff.get('/api/staff/system/'),
    await staff.post('/api/staff/system/doctor/', { checks: ['alerts'] }),
  ].map(({ body }) => JSON.stringify(body))
  const stored = JSON.stringify([await messages(), await run('SELECT * FROM alerts')])
  expect(lines.some((line) => line.includes('not sent to the webhook'))).toBe(true)
  for (const text of [...lines, ...responses, stored]) {
    expect(text).not.toContain(TOPIC)
    expect(text).not.toContain(PASSWORD)
  }
})
