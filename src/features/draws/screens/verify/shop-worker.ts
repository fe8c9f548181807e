import faultMessages from 'virtual:messages/verifyFaults'
import { needMessages } from '#client/browser.ts'
// Vite makes the export: the address of the built worker.
// oxlint-disable-next-line import/default
import workerAddress from './verify.worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL: (address: string) => string }
}

let trusted: string | undefined

/** Starts the worker of the shop's pages, whose security policy allows this one address under this name. */
export function openShopWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  // A policy is made once in a document.
  trusted ??=
    trustedTypes?.createPolicy('draw-worker', { createScriptURL: () => workerAddress }).createScriptURL('') ??
    workerAddress
  return new Worker(trusted, { type: 'module' })
}

/** The same, with the sentences for what is wrong: a page needs them only once something is checked. */
export async function openWordyWorker(): Promise<Worker> {
  await needMessages(faultMessages)
  return openShopWorker()
}
