import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

/** Passkeys belong to a host name; a browser makes none for an IP address. */
export const hasPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(window.location.hostname)

/** Asks the browser for a passkey. @throws Error when the person stops it */
export async function respondWithPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return await startAuthentication({ optionsJSON: options })
}

/** Makes a passkey in the browser. @throws Error when the person stops it */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  return await startRegistration({ optionsJSON: options })
}

/** Whether no passkey was made because the device holds one of this account already. */
export const isKnownPasskey = (error: unknown): boolean =>
  error instanceof Error && error.name === 'InvalidStateError'
