import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { type ShopOptions, type TestShop, testShop } from './shop.ts'

interface Stage {
  shop: TestShop
  browser: Browser
}

/** A shop with its pages for the tests of one file, closed after the last of them, and the worker's browser to visit it. */
export async function openStage(options: Omit<ShopOptions, 'pages'> = {}): Promise<Stage> {
  const shop = await testShop({ ...options, pages: true })
  afterAll(() => shop.close())
  return { shop, browser: await sharedBrowser() }
}

let common: Promise<TestShop> | undefined

/**
 * The shop of this worker, which ends with it: for files that need no settings of their own and look at nothing that others
 * may have left there, such as the list of all contests.
 */
export const sharedStage = async (): Promise<Stage> => ({
  shop: await (common ??= testShop({ pages: true })),
  browser: await sharedBrowser(),
})
