import { randomUUID } from 'node:crypto'
import { enqueueEmail } from '#features/emails/server/index.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityEventName, SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import type { LinkPurpose, UsedEmailLink } from '../accounts.contract.ts'
import type { AccountEmails } from './account-emails.ts'
import { activeAccount, requireOpenSession } from './accounts.ts'
import { type Addressee, AddressTaken, NO_HASH, accountsRepository } from './accounts.repository.ts'
import { type UsedLink, emailLinksRepository } from './email-links.repository.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { type LinkTokens, hashToken, tokenInvalid } from './tokens.ts'

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
}

const EVENTS: Partial<Record<LinkPurpose, SecurityEventName>> = {
  change: 'email_changed',
  undo: 'email_change_undone',
}

/** The limit's name for the receiver of an email. */
export const recipient = (email: string) => ({ account: `to ${email.toLowerCase()}` })

/** Links that confirm or change the address of an account (docs/adr/0039-confirmed-email-addresses.md). */
export function emailLinks(options: EmailLinksOptions) {
  const { db, emails, emailLinkTokens, resetTokens, security, limits } = options

  /** Stores a link. @returns its reference, from which its token is made when the email is sent */
  async function newLink(
    trx: Trx,
    userId: number,
    { purpose, email, sessionId }: { purpose: LinkPurpose; email: string; sessionId?: string | undefined },
  ): Promise<string> {
    const id = randomUUID()
    const ref = `${purpose}.${id}`
    await emailLinksRepository(trx).insert({
      id,
      userId,
      purpose,
      email,
      sessionId,
      tokenHash: hashToken(emailLinkTokens.of(ref)),
    })
    return ref
  }

  /** Makes a change of the address wait for the first or the second of its links; replaces a change that waits. */
  async function startChange(
    trx: Trx,
    account: Addressee,
    change: { purpose: 'allow' | 'change'; email: string; sessionId: string | undefined },
  ): Promise<void> {
    await emailLinksRepository(trx).endAll(account.id, ['allow', 'change'])
    const ref = await newLink(trx, account.id, change)
    await enqueueEmail(
      trx,
      change.purpose === 'allow'
        ? emails.allowChange(account, change.email, ref)
        : emails.confirmChange(account, change.email, ref),
    )
  }

  /** Gives the account its new address; the former one gets the link that undoes it. @throws AddressTaken */
  async function change(trx: Trx, { account, email, sessionId }: UsedLink): Promise<void> {
    await accountsRepository(trx).setConfirmedEmail(account.id, email)
    await emailLinksRepository(trx).endAll(account.id, ['confirm', 'allow', 'change'])
    // Links sent to the former address must stop working. One that is being sent is stored by now, because storing it
    // locks the account.
    await passwordResetsRepository(trx).endAll(account.id)
    await sessionsRepository(trx).revokeAll(account.id, sessionId)
    const ref = await newLink(trx, account.id, { purpose: 'undo', email: account.email })
    await enqueueEmail(trx, emails.emailChanged(account, new Date(nowMs()), ref))
  }

  /** Brings the former address back. Whoever changed it may know the password, so a new one must be chosen. */
  async function undo(trx: Trx, { account, email }: UsedLink): Promise<void> {
    await accountsRepository(trx).setConfirmedEmail(account.id, email)
    await accountsRepository(trx).setPasswordHash(account.id, NO_HASH)
    await emailLinksRepository(trx).endAll(account.id, ['confirm', 'allow', 'change', 'undo'])
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
     * Uses a link up. It needs no session, because it may be opened in another browser.
     * @throws Refusal 410 `emailLink.invalid`; 409 `email.taken` when the address has another owner by now; 429
     */
    async use(token: string, { address }: { address: string }): Promise<UsedEmailLink> {
      await limits.emailLink.take({ address })
      const tokenHash = hashToken(token)
      const found = await emailLinksRepository(db).find(tokenHash)
      if (!found) throw linkInvalid()
      if (found.purpose === 'allow') await limits.emailTo.take(recipient(found.email))
      try {
        const used = await transact(db, async (trx) => {
          const link = await emailLinksRepository(trx).use(tokenHash)
          if (!link) throw linkInvalid()
          const { account, purpose, email, sessionId } = link
          if (purpose === 'confirm') await accountsRepository(trx).confirmEmail(account.id)
          if (purpose === 'allow') await startChange(trx, account, { purpose: 'change', email, sessionId })
          if (purpose === 'change') await change(trx, link)
          if (purpose === 'undo') await undo(trx, link)
          if (purpose !== 'allow') await options.onConfirmed?.(trx, account.id, email)
          return link
        })
        const event = EVENTS[used.purpose]
        if (event) security.record({ event, userId: used.account.id, address })
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
      const to = awaited?.purpose === 'change' ? awaited.email : email
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
        if (pending)
          return startChange(trx, account, { ...pending, sessionId: pending.session_id ?? undefined })
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
        await emailLinksRepository(trx).endAll(userId, ['allow', 'change'])
      })
    },
  }
}

/** Ends what a change of the password makes invalid. The link that undoes a change stays: its owner may not have made it. */
export async function endLinks(sql: Sql, userId: number): Promise<void> {
  await passwordResetsRepository(sql).endAll(userId)
  await emailLinksRepository(sql).endAll(userId, ['allow', 'change'])
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
