import { expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { visit } from '../support/visits.ts'
import { words } from '../support/words.ts'

const t = words('en')

const { shop, browser } = await openStage()

test('the footer says who runs the shop, how one pays, and leads to the free entry', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/login')
  await awake(page)
  const footer = page.getByRole('contentinfo')
  const { companyName, companyNumber, companyAddress } = shop.config
  await footer.getByText(companyName).waitFor()
  await footer.getByText(t('frame.footer.registered', { number: companyNumber })).waitFor()
  await footer.getByText(companyAddress).waitFor()
  expect(await footer.getByRole('listitem').allTextContents()).toEqual(
    expect.arrayContaining(['PayPal', 'venmo', 'bancontact']),
  )
  await footer.getByRole('link', { name: t('frame.footer.freeEntry') }).click()
  await page.waitForURL('**/policies/terms-and-conditions#free-entry')
  await page.locator('h3#free-entry').waitFor()
  await close()
})

test('a visitor logs in from the top bar on a phone', async () => {
  const { page, close } = await visit(browser, shop, { width: 390 })
  await page.goto('/offers')
  await awake(page)
  const login = page.getByRole('banner').getByRole('link', { name: t('frame.menu.login') })
  await login.click()
  await page.waitForURL('**/login')
  await login.waitFor({ state: 'detached' })
  await close()
})
