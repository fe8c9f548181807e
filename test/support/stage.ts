import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { startBrowser } from './browser.ts'
import { type ShopOptions, type TestShop, testShop } from './shop.ts'

/** A shop with its pages and a browser to visit it, for the tests of one file; both end with the last of them. */
export async function openStage(
  options: Omit<ShopOptions, 'pages'> = {},
): Promise<{ shop: TestShop; browser: Browser }> {
  const shop = await testShop({ ...options, pages: true })
  afterAll(() => shop.close())
  const browser = await startBrowser()
  afterAll(() => browser.close())
  return { shop, browser }
}
