/**
 * In the preview the build puts this in the place of `#client/browser.ts`: the pages of the shop run without a session and
 * without a call. The policy of the document allows no connection, either.
 */
import type * as client from '#client/browser.ts'
import { ApiError } from '#client/api-error.ts'
import { documentLanguage } from '#client/document-language.ts'
import { type Catalogue, loadMessages } from '#i18n/active-messages.ts'

type Browser = typeof client

let refusal = ''

/** @param text what somebody reads who presses a button that calls the shop */
export function refuseCalls(text: string): void {
  refusal = text
}

/** Aborted calls of the pages, such as those that look for news, say nothing. */
const refused = (): Promise<never> =>
  Promise.reject(new ApiError({ status: 0, network: false, message: refusal, detail: refusal }))

export const browserCall: Browser['browserCall'] = () => refused

/** A signed-in visitor, as everybody is who sees the page of a contest. */
const session = {
  isAuthenticated: () => true,
  expire: () => false,
} as unknown as ReturnType<Browser['browserSession']>

export const browserSession: Browser['browserSession'] = () => session

export const failureTexts: Browser['failureTexts'] = () => ({ network: refusal, unexpected: refusal })

export const pageLanguage = documentLanguage

export async function needMessages(...catalogues: Catalogue[]): Promise<void> {
  await Promise.all(catalogues.map((catalogue) => loadMessages(pageLanguage(), catalogue)))
}
