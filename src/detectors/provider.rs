//! Who issued a key, by the rule that found it: `assets/providers.json`.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::names;

/// Who issued a key, and where it is replaced.
#[derive(Clone, Debug, Deserialize)]
pub struct Provider {
    /// The starts of the names of its rules.
    rules: Vec<Cow<'static, str>>,
    /// The provider, as people call it.
    pub name: Cow<'static, str>,
    /// Where its keys are replaced, in a few words; empty if that is not known.
    pub place: Cow<'static, str>,
}

static PROVIDERS: LazyLock<Vec<Provider>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../assets/providers.json")).unwrap_or_default());

/// Words of a rule's name that do not name the provider.
const GENERIC: [&str; 24] = names(
    "access api app auth bot client context deploy key legacy license oauth org other pat personal private \
     secret server service token url user webhook",
);

/// Returns the provider of a rule. One that is not listed is named by the first words of the rule.
pub fn provider_of(rule: &str) -> Provider {
    let length = |own: &Provider| {
        let starts = own.rules.iter().filter(|start| rule.starts_with(&***start));
        starts.map(|start| start.len()).max()
    };
    let known = PROVIDERS.iter().filter_map(|own| Some((length(own)?, own))).max_by_key(|(len, _)| *len);
    if let Some((_, own)) = known {
        return own.clone();
    }
    let own = rule.split('-').take_while(|word| !GENERIC.contains(word));
    let words: Vec<&str> = own.collect();
    let name = if words.is_empty() { rule.to_owned() } else { words.join(" ") };
    Provider { rules: Vec::new(), name: name.into(), place: Cow::Borrowed("") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_provider_by_the_longest_start_of_its_rule() {
        let name = |rule: &str| provider_of(rule).name.into_owned();
        assert_eq!(name("github-fine-grained-token"), "GitHub");
        assert_eq!(name("azure-openai-key"), "Azure");
        assert_eq!(name("openai-api-key"), "OpenAI");
        assert_eq!(name("zulip-api-key"), "zulip");
        assert_eq!(name("cal-com-api-key"), "cal com");
        assert_eq!(name("generic-password-quoted"), "the account with this password");
        assert_eq!(name("key"), "key");
        assert!(PROVIDERS.iter().all(|own| !own.rules.is_empty() && !own.place.is_empty()));
    }
}
