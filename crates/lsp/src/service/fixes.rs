//! Quick fixes: the advice of diagnostics as edits.

use kripke_lang::diagnostic::Diagnostic;
use kripke_lang::source::Span;

use super::{Analysis, Edit};

/// An edit that follows the advice of a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The edit.
    pub edit: Edit,
    /// The index of the diagnostic.
    pub diagnostic: usize,
}

impl Analysis {
    /// The fixes of diagnostics that touch a range of bytes of the text.
    pub fn fixes(&self, start: usize, end: usize) -> Vec<Fix> {
        let touches = |span: Span| span.file.index() == 0 && span.start as usize <= end && start <= span.end as usize;
        let near = self.diagnostics.iter().enumerate();
        let near = near.filter(|(_, d)| d.labels.first().is_some_and(|label| touches(label.span)));
        near.filter_map(|(index, diagnostic)| self.fix(index, diagnostic)).collect()
    }

    fn fix(&self, index: usize, diagnostic: &Diagnostic) -> Option<Fix> {
        let help = diagnostic.help.as_deref()?;
        let place = diagnostic.labels.first()?.span;
        let file = self.sources.file(place.file);
        let end = Span { start: file.text.len() as u32, end: file.text.len() as u32, ..place };
        let (span, text) = match help {
            "add `#endif`" => (end, "\n#endif\n".to_string()),
            "close it with `*/`" => (end, " */\n".to_string()),
            "end the file with `system async;`" => (end, "\nsystem async;\n".to_string()),
            "use `atomic`" if self.sources.text(place) == "d_step" => (place, "atomic".to_string()),
            _ if help.starts_with("close it with `*)`") => (end, " *)\n".to_string()),
            _ => self.spelling(diagnostic, help)?,
        };
        let title = if span == end {
            format!("{}{}", help[..1].to_uppercase(), &help[1..])
        } else {
            format!("Replace with `{text}`")
        };
        Some(Fix { title, edit: Edit { span, text }, diagnostic: index })
    }

    /// `did you mean ‘x’?`: the word that is meant takes the place of the one that is wrong.
    fn spelling(&self, diagnostic: &Diagnostic, help: &str) -> Option<(Span, String)> {
        let meant = help.strip_prefix("did you mean `")?.split('`').next()?;
        let wrong = diagnostic.message.split('`').nth(1)?;
        let span = diagnostic.labels.first()?.span;
        let typed = self.sources.text(span);
        let (meant, wrong) = match meant.rsplit_once(['.', '>']) {
            Some((_, last)) if !typed.contains(['.', '>']) => (last, wrong.rsplit(['.', '>']).next()?),
            _ => (meant, wrong),
        };
        if typed == wrong {
            return Some((span, meant.to_string()));
        }
        // The place may be a whole expression that contains the word.
        let at = typed.find(wrong)? as u32;
        let start = span.start + at;
        Some((Span { start, end: start + wrong.len() as u32, ..span }, meant.to_string()))
    }
}
