import { randomUUID } from 'node:crypto'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { hashToken } from '#platform/keyed-hashes.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityEventName, SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { LINK_PURPOSES, type LinkPurpose, type UsedEmailLink } from '../accounts.contract.ts'
import type { AccountEmails } from './account-emails.ts'
import { activeAccount, requireOpenSession } from './accounts.ts'
import { type Addressee, AddressTaken, NO_HASH, accountsRepository } from './accounts.repository.ts'
import {
  CHANGES,
  type ChangePurpose,
  type Correction,
  type UsedLink,
  emailLinksRepository,
} from './email-links.repository.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/** Called in the transaction that confirms the address of an account, for what waits for that. */
export type OnConfirmed = (trx: Trx, userId: number, email: string) => Promise<void>

export interface EmailLinksOptions {
  db: Database
  emails: AccountEmails
  emailLinkTokens: LinkTokens
  resetTokens: LinkTokens
  security: SecurityLog
  limits: {
    emailLink: Limit
    emailChange: Limit
    /** Counts the emails to an address over all accounts, because several accounts may use one address in turn. */
    emailTo: Limit
  }
  onConfirmed?: OnConfirmed
  /** Whether an account has won a prize that waits: staff correct no address that leads to one. */
  hasOpenPrize?: (trx: Trx, userId: number) => Promise<boolean>
  /** Called in the transaction in which a confirmed address replaces one that staff corrected: what went to the former one was lost. */
  onCorrected?: (trx: Trx, userId: number, correctionId: string) => Promise<void>
}

const EVENTS: Partial<Record<LinkPurpose, SecurityEventName>> = {
  change: 'email_changed',
  correct: 'email_changed',
  undo: 'email_change_undone',
}

/** The limit's name for the receiver of an email. */
export const recipient = (email: string) => ({ account: `to ${email.toLowerCase()}` })

interface Asked {
  email: string
  sessionId?: string | undefined
  correction?: Correction | undefined
}

/** Links that confirm or change the address of an account (docs/adr/0039-confirmed-email-addresses.md). */
export function emailLinks(options: EmailLinksOptions) {
  const { db, emails, emailLinkTokens, resetTokens, security, limits } = options

  /** Stores a link. @returns its reference, from which its token is made when the email is sent */
  async function newLink(
    trx: Trx,
    userId: number,
    { purpose, email, sessionId, correction }: Asked & { purpose: LinkPurpose },
  ): Promise<string> {
    const id = randomUUID()
    const ref = `${purpose}.${id}`
    await emailLinksRepository(trx).insert({
      id,
      userId,
      purpose,
      email,
      ...(sessionId !== undefined && { sessionId }),
      ...(correction && { correction }),
      tokenHash: hashToken(emailLinkTokens.of(ref)),
    })
    return ref
  }

  /** Makes a change of the address wait for the first or the second of its links; replaces a change that waits. */
  async function startChange(
    trx: Trx,
    account: Addressee,
    change: Asked & { purpose: ChangePurpose },
  ): Promise<void> {
    await emailLinksRepository(trx).endAll(account.id, CHANGES)
    const ref = await newLink(trx, account.id, change)
    const { email } = change
    const write = {
      allow: () => emails.allowChange(account, email, ref),
      change: () => emails.confirmChange(account, email, ref),
      correct: () => emails.confirmCorrection(account, email, ref),
    }
    await enqueueEmail(trx, write[change.purpose]())
  }

  /**
   * Gives the account its new address; the former one gets the link that undoes it, unless nobody ever showed that it is
   * theirs: a mistyped address may be a stranger's. @throws AddressTaken
   */
  async function change(
    trx: Trx,
    { account, wasConfirmed, purpose, email, sessionId }: UsedLink,
  ): Promise<void> {
    await accountsRepository(trx).setConfirmedEmail(account.id, email)
    await emailLinksRepository(trx).endAll(account.id, ['confirm', ...CHANGES])
    // Links sent to the former address must stop working. One that is being sent is stored by now, because storing it
    // locks the account.
    await passwordResetsRepository(trx).endAll(account.id)
    await sessionsRepository(trx).revokeAll(account.id, sessionId)
    if (purpose === 'correct' && !wasConfirmed) {
      await enqueueEmail(trx, emails.addressCorrected(account, `email-corrected:${randomUUID()}`))
      return
    }
    const ref = await newLink(trx, account.id, { purpose: 'undo', email: account.email })
    await enqueueEmail(trx, emails.emailChanged(account, new Date(nowMs()), ref))
  }

  /** Brings the former address back. Whoever changed it may know the password, so a new one must be chosen. */
  async function undo(trx: Trx, { account, email }: UsedLink): Promise<void> {
    await accountsRepository(trx).setConfirmedEmail(account.id, email)
    await accountsRepository(trx).setPasswordHash(account.id, NO_HASH)
    await emailLinksRepository(trx).endAll(account.id, LINK_PURPOSES)
    await sessionsRepository(trx).revokeAll(account.id)
    await passwordResetsRepository(trx).endAll(account.id)
    const resetId = await newReset(trx, resetTokens, account.id)
    await enqueueEmail(trx, emails.changeUndone({ ...account, email }, resetId))
  }

  /** Stores the link that confirms the account's address. @returns its reference */
  async function newConfirmation(trx: Trx, { id, email }: Pick<Addressee, 'id' | 'email'>): Promise<string> {
    await emailLinksRepository(trx).endAll(id, ['confirm'])
    return await newLink(trx, id, { purpose: 'confirm', email })
  }

  return {
    startChange,

    newConfirmation,

    /**
     * Makes an address that staff corrected wait for the link that goes there; the present one is told. It replaces a
     * change that waits. @param account locked in this transaction
     */
    async startCorrection(
      trx: Trx,
      account: Addressee,
      { email, ...correction }: Correction & { email: string },
    ): Promise<void> {
      await startChange(trx, account, { purpose: 'correct', email, correction })
      await enqueueEmail(trx, emails.correctionAsked(account, `email-correction:${randomUUID()}`))
    },

    /**
     * Uses a link up. It needs no session, because it may be opened in another browser.
     * @throws Refusal 410 `emailLink.invalid`; 409 `email.taken` when the address has another owner by now; 429
     */
    async use(token: string, { address }: { address: string }): Promise<UsedEmailLink> {
      await limits.emailLink.take({ address })
      const tokenHash = await emailLinkTokens.linkOf(db, token)
      const found = tokenHash && (await emailLinksRepository(db).find(tokenHash))
      if (!found) throw linkInvalid()
      if (found.purpose === 'allow') await limits.emailTo.take(recipient(found.email))
      try {
        const used = await transact(db, async (trx) => {
          const link = await emailLinksRepository(trx).use(tokenHash)
          if (!link) throw linkInvalid()
          const { account, purpose, email, sessionId } = link
          if (purpose === 'correct' && (await options.hasOpenPrize?.(trx, account.id))) throw linkInvalid()
          if (purpose === 'confirm') await accountsRepository(trx).confirmEmail(account.id)
          if (purpose === 'allow') await startChange(trx, account, { purpose: 'change', email, sessionId })
          if (purpose === 'change' || purpose === 'correct') await change(trx, link)
          if (purpose === 'undo') await undo(trx, link)
          if (purpose !== 'allow') await options.onConfirmed?.(trx, account.id, email)
          if (purpose === 'correct') await options.onCorrected?.(trx, account.id, link.id)
          return link
        })
        const event = EVENTS[used.purpose]
        const detail = used.purpose === 'correct' ? 'staff' : undefined
        if (event) security.record({ event, userId: used.account.id, address, ...(detail && { detail }) })
        return { purpose: used.purpose, email: used.email }
      } catch (error) {
        if (!(error instanceof AddressTaken)) throw error
        await emailLinksRepository(db).end(tokenHash)
        throw new Refusal('email.taken', 409, 'emailLink.taken')
      }
    },

    /**
     * Sends again the link that the account waits for: of a change, or else that of its registration.
     * @returns the receiver @throws Refusal 409 `email.nothingToConfirm`, or 429
     */
    async resend(caller: Caller, { address }: { address: string }): Promise<string> {
      const { email, email_confirmed_at } = await activeAccount(db, caller.userId)
      const awaited = await emailLinksRepository(db).pending(caller.userId)
      if (!awaited && email_confirmed_at !== null) throw nothingToConfirm()
      const to = !awaited || awaited.purpose === 'allow' ? email : awaited.email
      await limits.emailChange.take({ account: caller.userId, address })
      await limits.emailTo.take(recipient(to))
      await transact(db, async (trx) => {
        const account = await accountsRepository(trx).lockAddressee(caller.userId)
        if (!account) throw tokenInvalid()
        await requireOpenSession(trx, caller)
        const pending = await emailLinksRepository(trx).pending(caller.userId)
        // The limit above counted an email to the receiver of what waited then.
        if (pending?.email !== awaited?.email || pending?.purpose !== awaited?.purpose)
          throw nothingToConfirm()
        if (pending) {
          const { purpose, email: awaitedAddress, session_id: sessionId, asked_by: askedBy, note } = pending
          return startChange(trx, account, {
            purpose,
            email: awaitedAddress,
            sessionId: sessionId ?? undefined,
            ...(askedBy !== null && { correction: { askedBy, note: note ?? '' } }),
          })
        }
        if (account.email_confirmed_at !== null) throw nothingToConfirm()
        const ref = await newConfirmation(trx, account)
        await enqueueEmail(trx, emails.confirmAddress(account, ref))
      })
      return to
    },

    /** Ends a change that waits. */
    async cancelChange({ userId }: Caller): Promise<void> {
      await transact(db, async (trx) => {
        // A link that is being used or sent again would otherwise leave its successor.
        await accountsRepository(trx).lockAddressee(userId)
        await emailLinksRepository(trx).endAll(userId, CHANGES)
      })
    },
  }
}

/** Ends what a change of the password makes invalid. The link that undoes a change stays: its owner may not have made it. */
export async function endLinks(sql: Sql, userId: number): Promise<void> {
  await passwordResetsRepository(sql).endAll(userId)
  await emailLinksRepository(sql).endAll(userId, CHANGES)
}

/** Stores a link for a new password. @returns its id, from which its token is made when the email is sent */
export async function newReset(trx: Trx, resetTokens: LinkTokens, userId: number): Promise<string> {
  const id = randomUUID()
  await passwordResetsRepository(trx).insert({
    id,
    user_id: userId,
    token_hash: hashToken(resetTokens.of(id)),
  })
  return id
}

const linkInvalid = (): Refusal => new Refusal('emailLink.invalid', 410, 'emailLink.invalid')

const nothingToConfirm = (): Refusal => new Refusal('email.nothingToConfirm', 409, 'emailLink.nothing')
