import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, ensureChromium } from '../chromium.ts'

export async function withBrowser<Result>(
  work: (context: BrowserContext) => Promise<Result>,
  options: { port?: number; phone?: { width: number; height: number } } = {},
): Promise<Result> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'volant-bench-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await ensureChromium(process.env),
    args: [
      ...CHROMIUM_FLAGS,
      '--ignore-certificate-errors',
      ...(options.port ? [`--remote-debugging-port=${options.port}`] : []),
    ],
    ignoreHTTPSErrors: true,
    viewport: options.phone ?? null,
    hasTouch: options.phone !== undefined,
  })
  try {
    return await work(context)
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
}

/** Signs the profile in, on a file of the shop that runs no script. */
export async function storeTokens(
  context: BrowserContext,
  url: string,
  tokens: Record<string, string>,
): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/icon.svg`)
  await page.evaluate((given) => {
    for (const [name, token] of Object.entries(given)) window.localStorage.setItem(name, token)
  }, tokens)
  await page.close()
}
