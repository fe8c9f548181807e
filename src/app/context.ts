import { type RouterContextProvider, createContext } from 'react-router'
import type { Api } from '#client/endpoints.ts'
import type { PageOfParts } from '#client/kept-markup.tsx'
import type { Shell } from '#client/shell.ts'

/** What a rendering on the server knows; the browser has its own kernel (#client/browser.ts). */
export const shellContext = createContext<Shell>()
export const apiContext = createContext<Api>()
export const renderingContext = createContext<{
  nonce: string
  report: (error: unknown) => void
  /** Takes the page that was rendered. */
  deliver: (page: PageOfParts) => void
}>()

/** The API as a server loader reaches it: the browser's client over an in-process transport. */
export const serverApi = (context: Readonly<RouterContextProvider>): Api => context.get(apiContext)
