/** The part of a pino logger that the platform needs. */
export interface PlatformLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLog: PlatformLog = { info: () => {}, warn: () => {}, error: () => {} }
