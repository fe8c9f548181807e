import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { type ShopOptions, type TestShop, testShop } from './shop.ts'

/** A shop with its pages for the tests of one file, closed after the last of them, and the worker's browser to visit it. */
export async function openStage(
  options: Omit<ShopOptions, 'pages'> = {},
): Promise<{ shop: TestShop; browser: Browser }> {
  const shop = await testShop({ ...options, pages: true })
  afterAll(() => shop.close())
  return { shop, browser: await sharedBrowser() }
}
