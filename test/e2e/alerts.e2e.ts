import { afterAll, describe, expect, test } from 'vitest'
import { ALERT_KINDS, type AlertKind, runbookOf } from '#features/alerts/alerts.rules.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { hasFocus } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { startWebhookReceiver, withStatus } from '../support/webhook-receiver.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const { shop, visit } = await openStage({
  env: {
    ALERT_EMAIL: 'operator@shop.test',
    ALERT_WEBHOOK_URL: `${receiver.url}/secret-topic`,
    ALERT_WEBHOOK_FORMAT: 'ntfy',
  },
  host: 'localhost',
})
const open = consoleOf({ shop, visit })

const raise = (kind: AlertKind, subject: string, details = {}) =>
  shop.checkout.alerts.raise(shop.db, { kind, subject, details })

describe('the alerts of the console', async () => {
  for (const kind of ALERT_KINDS) if (kind !== 'unknownPayment') await raise(kind, `web-1/${kind}`)
  const finding = {
    key: 'doctor.mailServer.unreachable',
    values: { host: 'mail.example', reason: 'ECONNREFUSED' },
  }
  await raise('mailDown', 'web-1/mailDown', { finding })
  for (let at = 1; at <= 80; at += 1) await raise('unknownPayment', `CAPTURE-${at}`, { cents: at * 100 })

  test.each(sized<readonly Language[]>({ short: ['nl'], extended: LANGUAGES }))(
    'show eighty of a kind as one, with what they mean once, in %s and on a phone',
    async (language) => {
      const t = words(language)
      const { page, faults } = await open('/alerts', { language, width: 360 })
      const group = page.locator('#unknownPayment')
      await group.getByText(t('consoleAlerts.group', { count: 80 })).waitFor()
      expect(await group.getByText(t('consoleAlerts.kinds.unknownPayment.advice')).count()).toBe(1)
      expect(await group.getByText(runbookOf('unknownPayment')).count()).toBe(1)
      expect(await group.getByRole('listitem').count()).toBe(3)
      // What else is open stands beside it.
      for (const kind of ALERT_KINDS) expect(await page.locator(`#${kind}`).count(), kind).toBe(1)
      expect(await sidewaysScroll(page)).toBe(0)
      await seeAccessible(page)
      await group.getByRole('link', { name: t('consoleAlerts.showAll', { count: 77 }) }).click()
      await page.getByRole('link', { name: t('consoleAlerts.allKinds') }).waitFor()
      await expect.poll(() => group.getByRole('listitem').count()).toBe(50)
      await page.getByRole('button', { name: t('console.common.more') }).click()
      await expect.poll(() => group.getByRole('listitem').count()).toBe(80)
      expect(await sidewaysScroll(page)).toBe(0)
      await seeAccessible(page)
      expect(faults).toEqual([])
    },
  )

  test('are reached by the link of a message, with the finding in the reader’s language', async () => {
    await shop.pool.query(`UPDATE alerts SET resolved_at = now() WHERE kind = 'unknownPayment'`)
    for (const language of TESTED_LANGUAGES) {
      const { page } = await open('/alerts#mailDown', { language })
      const group = page.locator('#mailDown')
      await group.getByText('mail.example').waitFor()
      await expect.poll(() => hasFocus(group)).toBe(true)
      expect(await group.innerText()).not.toMatch(/doctor\.|[{}]/)
    }
  })

  test('say where messages go, and why they do not arrive', async () => {
    const t = words('en')
    const { page } = await open('/system', { language: 'en' })
    const send = async (expected: string | RegExp): Promise<void> => {
      await page.getByRole('button', { name: t('consoleSystem.doctorChecks.sendAlert') }).click()
      await page.getByText(expected).waitFor()
    }
    receiver.reply(withStatus(403, 'forbidden'))
    await send('The test alert did not reach the webhook: status 403 forbidden')
    await page.goto('/admin/alerts')
    await page.getByText(/have not reached the webhook \(ntfy\): status 403 forbidden/).waitFor()
    await page.goto('/admin/system')
    await send(t('consoleSystem.doctorChecks.alertSent'))
    await page.goto('/admin/alerts')
    await page.getByText(/^Messages go to the webhook \(ntfy\) and by email; the last one arrived /).waitFor()
    expect(await page.content()).not.toContain('secret-topic')
  })
})
