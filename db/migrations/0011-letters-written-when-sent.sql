-- A letter may be written when it is sent, from what never changes (ADR 0027): {"kind", "ref"}. Its bodies are empty then.
ALTER TABLE mails ADD COLUMN letter jsonb;
ALTER TABLE mails ADD CONSTRAINT mails_say_something_once CHECK (letter IS NULL OR (body_text = '' AND body_html = ''));
