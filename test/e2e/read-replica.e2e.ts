import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Page } from 'playwright-core'
import { formatTime } from '#i18n/format.ts'
import { consoleOf, seeScreen } from '../support/console.ts'
import { replicatedDatabase } from '../support/replicated.ts'
import { openStage } from '../support/stage.ts'
import { isExtended } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

/** Screens that show a standby which is behind say so (ADR 0112). A minute is a second here. */
const LIMITS = { told: 1_000, far: 600_000 }
const servers = await replicatedDatabase(LIMITS)
afterAll(() => servers.database.close())
const stage = await openStage({ replicated: servers, host: 'localhost' })
const { shop } = stage
const open = consoleOf(stage)

/** The standby stays behind what happens from now on. @returns lets it follow again */
async function leaveBehind(make: () => Promise<unknown>): Promise<() => Promise<void>> {
  await servers.standby.catchUp()
  for (let turn = 0; turn < 100 && (await servers.look()).state !== 'follows'; turn += 1) await sleep(50)
  await servers.standby.pause()
  const resume = async (): Promise<void> => {
    await servers.standby.resume()
    await servers.standby.catchUp()
    await servers.look()
  }
  onTestFinished(resume)
  await make()
  await sleep(LIMITS.told + 1_500)
  await servers.look()
  return resume
}

const lookAgain = (page: Page) =>
  page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))

const newAlert = async (subject: string): Promise<void> =>
  void (await shop.db.insertInto('alerts').values({ kind: 'mailDown', subject, details: '{}' }).execute())

/** The sentence around a time and a duration. */
const sentence = (text: string): RegExp =>
  new RegExp(
    text.replaceAll(/[.*+?^$()[\]\\|]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, String.raw`\d[\d: ]*`),
  )

test.each(TESTED_LANGUAGES)(
  'a list of the console says how old it is, a record does not, and who acts sees it at once: %s',
  async (language) => {
    const t = words(language)
    await newAlert(`before ${language}`)
    const { ours } = await shop.paidOrder(1)
    const resume = await leaveBehind(() => newAlert(`after ${language}`))
    const { page } = await open('/alerts', { language })
    const note = page
      .locator('main')
      .getByText(
        sentence(t('console.frame.shownFrom', { time: '{time}', minutes: 0, seconds: '{seconds}' as never })),
      )
    await note.waitFor()
    expect(await note.textContent()).toContain(formatTime(new Date(), shop.config.timeZone).slice(0, 2))
    expect(await page.getByRole('status').getByText(t('console.frame.behind')).count()).toBe(1)
    expect(await page.getByText(`after ${language}`).count()).toBe(0)

    // The record of an order is the primary's.
    await page.goto(`/admin/orders/${ours.id}`)
    await seeScreen(page)
    expect(await note.count()).toBe(0)

    await page.goto('/admin/alerts')
    await note.waitFor()
    await page
      .getByRole('button', { name: t('consoleAlerts.take') })
      .first()
      .click()
    const save = page.getByRole('dialog').getByRole('button', { name: t('consoleAlerts.take') })
    await save.click()
    await page.getByText(`after ${language}`).first().waitFor()
    await expect.poll(() => note.count()).toBe(0)

    await resume()
    await lookAgain(page)
    expect(await note.count()).toBe(0)
  },
)

// In the short form `test/http/read-replica.test.ts` holds their header.
test.runIf(isExtended).each(TESTED_LANGUAGES)(
  'pages of the shop say of when they are, until they are new again: %s',
  async (language) => {
    const t = words(language)
    const unseen = `Unseen in ${language}`
    const resume = await leaveBehind(() =>
      shop.newOffer({ title: unseen, title_nl: unseen, title_en: unseen }),
    )
    const { page } = await stage.visit('/offers', { language })
    const note = page.getByText(sentence(t('frame.shownFrom', { time: '{time}' })))
    await note.waitFor()
    expect(await page.getByText(unseen).count()).toBe(0)
    for (const path of ['/', '/draws']) {
      await page.goto(path)
      await note.waitFor()
    }
    // A page that shows nothing of it, reached by a link of one that does.
    await page
      .locator('footer')
      .getByRole('link', { name: t('frame.menu.contact'), exact: true })
      .click()
    await page.waitForURL('**/contact')
    await expect.poll(() => note.count()).toBe(0)
    await page.goto('/offers')
    await note.waitFor()
    await resume()
    await expect
      .poll(async () => {
        await lookAgain(page)
        return note.count()
      })
      .toBe(0)
  },
)
