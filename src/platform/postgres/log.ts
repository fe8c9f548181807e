/** The part of a pino logger that the platform needs; a plain object will do in tools and tests. */
export interface PlatformLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLog: PlatformLog = { info: () => {}, warn: () => {}, error: () => {} }
