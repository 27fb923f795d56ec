//! The search for what is left of a text, made without palimp.

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;

use super::files_below;

/// The forms in which a file may hold a text.
pub fn forms(text: &str) -> Vec<Vec<u8>> {
    let json = serde_json::to_string(text).unwrap();
    let json = json[1..json.len() - 1].to_owned();
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let ascii: String = json
        .chars()
        .map(|c| match c.is_ascii() {
            true => c.to_string(),
            false => units(&c.to_string()).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        })
        .collect();
    let mut forms = vec![ascii.into_bytes()];
    for text in [text, &json] {
        forms.push(text.as_bytes().to_vec());
        forms.push(text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes());
        forms.push(text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>().into_bytes());
        forms.push(units(text).iter().flat_map(|unit| unit.to_le_bytes()).collect());
        forms.push(units(text).iter().flat_map(|unit| unit.to_be_bytes()).collect());
        for before in 0..3 {
            let padded = ["x".repeat(before).as_bytes(), text.as_bytes()].concat();
            let whole = base64::engine::general_purpose::STANDARD_NO_PAD.encode(padded);
            forms.push(whole.as_bytes()[(before * 8).div_ceil(6)..whole.len() - 1].to_vec());
        }
    }
    forms
}

pub fn holds(bytes: &[u8], forms: &[Vec<u8>]) -> bool {
    let own = forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == form));
    let mut unpacked = Vec::new();
    own || bytes.starts_with(&[0x1f, 0x8b])
        && flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).is_ok()
        && holds(&unpacked, forms)
}

/// Returns every file below a folder that has one of the forms, also if it is compressed.
pub fn holding(folder: &Path, forms: &[Vec<u8>]) -> Vec<PathBuf> {
    let files = files_below(folder).into_iter().filter(|(_, bytes)| holds(bytes, forms));
    files.map(|(path, _)| path).collect()
}

pub fn found(folder: &Path, texts: &[String]) -> Vec<PathBuf> {
    holding(folder, &texts.iter().flat_map(|text| forms(text)).collect::<Vec<_>>())
}
