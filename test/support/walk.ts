import type { Page } from 'playwright-core'

/**
 * Puts an answer that our own server would not give in the place of its own.
 * @param path of the call; `*` stands for one part
 * @param answer its status and body: an object is sent as JSON, a text as it is; `cut` breaks the connection
 * @param times so many answers, then the server's own again; without it, all
 */
export async function answerWith(
  page: Page,
  path: string,
  answer: { status: number; body?: object | string } | 'cut',
  times?: number,
): Promise<void> {
  const wanted = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`)
  await page.route(
    (url) => wanted.test(url.pathname),
    async (route) => {
      if (answer === 'cut') return route.abort('connectionrefused')
      const { status, body = '' } = answer
      return typeof body === 'string'
        ? route.fulfill({ status, body, contentType: 'text/plain' })
        : route.fulfill({ status, json: body })
    },
    times === undefined ? {} : { times },
  )
}

/**
 * Holds calls back until they are let go: what the page shows meanwhile can be looked at for as long as that takes.
 * @param path of the calls; `*` stands for one part
 * @returns what lets them go, and those after them
 */
export async function holdBack(page: Page, path: string): Promise<() => void> {
  const wanted = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`)
  const { promise: opened, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(
    (url) => wanted.test(url.pathname),
    async (route) => {
      await opened
      await route.continue()
    },
  )
  return letGo
}

/** Waits until a toast with this text, and this explanation, is shown. */
export async function seeToast(page: Page, text: string, description?: string): Promise<void> {
  const toasts = page.locator('[data-sonner-toast]').filter({ has: page.getByText(text, { exact: true }) })
  await toasts.first().waitFor()
  if (description !== undefined) await toasts.getByText(description, { exact: true }).first().waitFor()
}
