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
