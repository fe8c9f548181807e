export { type Block, type EmailPicture, type EmailShop, composeEmail } from './compose-email.ts'
export { type EmailBodies, emailsWithKeys, kindsHiddenFrom, listedEmail, sentEmail } from './staff-emails.ts'
export { mailboxRoutes } from './mailbox.routes.ts'
export {
  type EmailState,
  IS_RESENDABLE,
  emailFigures,
  failedEmails,
  linkEmails,
} from './emails.repository.ts'
export { emailsPersonalData } from './personal-data.ts'
export { emailsJobs, watchEmails } from './jobs.ts'
export { type EmailMakers, type SliceMakers, joinMakers, mailer } from './mailer.ts'
export { type EmailFile, type MailServer, checkMailServer, sendAtOnce } from './smtp.ts'
export { type NewEmail, SECRET_LINK, checkEmail, enqueueEmail, enqueueEmails } from './enqueue-email.ts'
