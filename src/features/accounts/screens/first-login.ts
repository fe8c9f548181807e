/**
 * What a registration in this document keeps for the one login after it, in memory alone: the login form takes it over, and
 * it is gone with the form.
 */
let kept: { email: string; password: string } | undefined

export function keepForLogin(email: string, password: string): void {
  kept = { email, password }
}

/** @returns the password of this address; empty when nobody has just registered with it */
export const keptFor = (email: string | undefined): string =>
  kept !== undefined && kept.email === email ? kept.password : ''

export function forgetKept(): void {
  kept = undefined
}
