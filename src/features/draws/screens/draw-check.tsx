import verifyMessages from 'virtual:messages/verify'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { openShopWorker } from './verify/shop-worker.ts'
import { openWorkerWithSentences } from './verify/worker-with-sentences.ts'
import { TicketProof } from './verify/ticket-proof.tsx'
import { Verify } from './verify/verify.tsx'

await needMessages(verifyMessages)

/** The ticket whose proof link opened the page. */
export const DrawTicket = (ticket: { contest: string; proof: string; total: number }): ReactNode => (
  <TicketProof {...ticket} openWorker={openShopWorker} />
)

/** The check of the whole draw, which begins at once. */
export const DrawCheck = ({ evidence }: { evidence: string }): ReactNode => (
  <Verify openWorker={openWorkerWithSentences} evidence={evidence} program="/verify-draw.py" isAsked />
)
