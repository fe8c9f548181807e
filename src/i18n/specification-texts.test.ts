import { expect, test } from 'vitest'
import type { MessageKey } from './keys.ts'
import { translate } from './server-translator.ts'

/** Every text that the specification quotes in English, by its key (spec sections 2, 5, 6 and 8). */
const QUOTED: Partial<Record<MessageKey, string>> = {
  'errors.email.required': 'Email is required',
  'errors.email.invalid': 'Please enter a valid email address',
  'formErrors.password.required': 'Password is required',
  'formErrors.username.required': 'Username is required',
  'formErrors.phone.required': 'Phone number is required',
  'formErrors.phone.invalid': 'Please enter a valid phone number',
  'formErrors.phone.format': 'Invalid phone number format',
  'formErrors.password.tooShort': 'Password must be at least 8 characters',
  'formErrors.password.confirmRequired': 'Please confirm your password',
  'formErrors.password.mismatch': 'Passwords do not match',
  'formErrors.password.currentRequired': 'Please enter your current password',
  'formErrors.correctFirst': 'Please correct errors before submitting',
  'errors.network': 'Unable to connect to the server. Please check your internet connection.',
  'errors.unexpected': 'An unexpected error occurred. Please try again later.',
  'errors.sessionExpired': 'Session expired',
  'errors.logInAgain': 'Please log in again to continue',
  'errors.reconnect': 'Please reconnect',
  'errors.offer.notFound': 'Offer not found',
  'offers.buy.authRequired': 'Authentication required',
  'offers.buy.authRequiredText': 'Please log in to add items to the cart',
  'offers.buy.addError': 'Error adding to cart',
  'offers.buy.added': 'Added to cart',
  'offers.title': 'Available offers',
  'offers.loading': 'Loading offers...',
  'offers.empty': 'No offers available at the moment',
  'offers.card.ended': 'Offer ended',
  'offers.card.soldOut': 'Out of stock',
  'cart.quantityError': 'Error updating quantity',
  'cart.removeError': 'Error removing item',
  'cart.clearError': 'Error clearing cart',
  'cart.removed': 'Item removed',
  'cart.cleared': 'Cart cleared',
  'checkout.urlMissing': 'Payment URL not received',
  'checkout.error': 'Payment error',
  'checkout.captureFailed': 'Sorry, your transaction could not be processed...',
  'checkout.success': 'Payment successful!',
  'accounts.profile.updated': 'Profile updated successfully',
  'accounts.profile.failed': 'Failed to update profile',
  'accounts.passwordUpdated': 'Password updated successfully',
  'accounts.profile.passwordFailed': 'Failed to update password',
  'accounts.login.google': 'Login with Google (Unavailable)',
  'accounts.login.forgot': 'Forgot your password?',
  'accounts.loading': 'Loading...',
  'contact.sent': 'Message sent successfully!',
  'contact.failed.other': 'Error sending message',
  'tickets.empty': 'No ticket found',
  'pages.notFound.description': 'The page you are looking for does not exist.',
}

test.each(Object.entries(QUOTED))(
  '%s is as the specification quotes it: "%s" [spec 5.1-5.9, 5.11, 5.15, 5.16, 5.35-5.37, 8.5, 8.6, 8.9, 8.10, 8.14, 8.16, 8.18, 8.21-8.23, 8.28, 8.29, 8.31, 8.35-8.37, 8.39, 8.40, 8.44-8.50]',
  (key, text) => {
    expect(translate('en', key as MessageKey)).toBe(text)
  },
)

test('an error of the offer list is "Error: " and the message [spec 8.19]', () => {
  expect(translate('en', 'offers.error', { message: 'no' })).toBe('Error: no')
})

test('a payment that cannot be started names the provider and the cause, a provider’s error its prefix [spec 8.30, 8.33]', () => {
  const start = translate('en', 'checkout.startFailed', { provider: 'PayPal', cause: 'no' })
  expect(start).toBe('Could not initiate PayPal checkout: no')
  expect(translate('en', 'checkout.providerError', { provider: 'PayPal', message: 'no' })).toBe(
    'PayPal error: no',
  )
})

test('texts that the specification quotes in French are those of the French page [spec 5.41, 8.11]', () => {
  expect(translate('fr', 'errors.cart.wrongAnswer')).toBe('Mauvaise réponse.')
  expect(translate('fr', 'pages.offers.title')).toBe('Concours Automobiles')
  expect(translate('fr', 'formErrors.contact.nameTooShort')).toBe(
    'Le nom doit contenir au moins 2 caractères',
  )
  expect(translate('fr', 'formErrors.contact.messageTooShort')).toMatch(/au moins 10 caractères/)
  expect(translate('fr', 'errors.email.invalid')).toBe('Veuillez saisir une adresse e-mail valide')
})
