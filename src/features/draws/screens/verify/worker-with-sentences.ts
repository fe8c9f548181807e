import verifyFaultsMessages from 'virtual:messages/verifyFaults'
import { needMessages } from '#client/browser.ts'
import { openShopWorker } from './shop-worker.ts'

/** Opens the worker of the check with the sentences for what is wrong: a page needs them only once something is checked. */
export async function openWorkerWithSentences(): Promise<Worker> {
  await needMessages(verifyFaultsMessages)
  return openShopWorker()
}
