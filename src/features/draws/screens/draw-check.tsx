import verifyMessages from 'virtual:messages/verify'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { openShopWorker } from './verify/shop-worker.ts'
import { TicketProof } from './verify/ticket-proof.tsx'
import { Verify, withSentences } from './verify/verify.tsx'

await needMessages(verifyMessages)

/** The ticket whose proof link opened the page. */
export const DrawTicket = (ticket: { contest: string; proof: string; total: number }): ReactNode => (
  <TicketProof {...ticket} openWorker={openShopWorker} />
)

const openWorker = withSentences(openShopWorker)

/** The check of the whole draw, which begins at once. */
export const DrawCheck = ({ evidence }: { evidence: string }): ReactNode => (
  <Verify openWorker={openWorker} evidence={evidence} program="/verify-draw.py" isAsked />
)
