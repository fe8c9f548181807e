import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { consoleOf, seeScreen } from '../support/console.ts'
import { arrive } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

// A tab stays open while the shop is updated, and the files that its page names are gone.
const stage = await openStage({ host: 'localhost' })
const t = words('en')

/**
 * Takes files away that a page has not loaded yet, as those of a release that is gone.
 * @param until the next document, whose files are there; or for ever
 * @returns counts the documents that are loaded from now on
 */
async function loseFiles(
  context: BrowserContext,
  page: Page,
  until: 'document' | 'ever',
  files = /\/assets\/.*\.js$/,
): Promise<() => number> {
  let isLost = true
  let documents = 0
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return
    documents += 1
    if (until === 'document') isLost = false
  })
  await context.route(files, (route) => (isLost ? route.fulfill({ status: 404 }) : route.continue()))
  return () => documents
}

test.each([
  ['offers', '/offers'],
  ['contact', '/contact'],
] as const)('a click on %s whose code is gone leads there all the same', async (link, path) => {
  const { page, context } = await stage.visit('/policies/accessibility')
  const documents = await loseFiles(context, page, 'document')
  await page.locator(`a[href="${path}"]`).filter({ visible: true }).first().click()
  await arrive(page, path)
  await awake(page)
  expect(await page.locator('main').innerText(), link).not.toContain(t('pages.error.title'))
  await expect.poll(documents).toBe(1)
})

test('code that stays away is asked for once: the page shows what the server made, and does not load again and again', async () => {
  const { page, context } = await stage.visit('/policies/accessibility')
  const documents = await loseFiles(context, page, 'ever')
  await page.locator('a[href="/draws"]').filter({ visible: true }).first().click()
  await arrive(page, '/draws')
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(documents).toBe(1)
  // Its links are those of the document, which need no code.
  await page.locator('a[href="/offers"]').filter({ visible: true }).first().click()
  await arrive(page, '/offers')
  await page.waitForLoadState('networkidle')
  expect(documents()).toBe(2)
})

test('pointing at a link whose code is gone loads nothing; Back to a page whose code is gone shows that page', async () => {
  const { page, context } = await stage.visit('/contact?from=here')
  await page.locator('a[href="/policies/accessibility"]').filter({ visible: true }).first().click()
  await arrive(page, '/policies/accessibility')
  await page.reload()
  await awake(page)
  const documents = await loseFiles(context, page, 'document')
  const failed = page.waitForEvent('console', (message) => message.location().url.includes('/assets/draws-'))
  await page.locator('a[href="/draws"]').filter({ visible: true }).first().hover()
  await failed
  expect([documents(), new URL(page.url()).pathname]).toEqual([0, '/policies/accessibility'])
  await page.goBack()
  await page.locator('main form').first().waitFor()
  await awake(page)
  expect([documents(), new URL(page.url()).search]).toEqual([1, '?from=here'])
})

test('in the console a click on a screen whose code is gone leads there; where it stays away, one attempt is made', async () => {
  const { page, context } = await consoleOf(stage)('/account')
  const press = async (path: string) => {
    await page.locator(`a[href="${path}"]`).filter({ visible: true }).first().click()
    await arrive(page, path)
  }
  const documents = await loseFiles(context, page, 'document')
  await press('/admin/offers')
  await expect.poll(documents).toBe(1)
  await seeScreen(page)
  expect(await page.locator('main').innerText()).not.toContain(t('console.common.failed'))

  const more = await loseFiles(context, page, 'ever', /\/assets\/customers-.*\.js$/)
  await press('/admin/customers')
  await expect.poll(more).toBe(1)
  await page.getByText(t('console.common.failed')).first().waitFor()
  expect(more()).toBe(1)
})
