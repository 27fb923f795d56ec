//! An independent reader of JSON objects: the tests do not ask the program what it made of a record.

/// A member: everything from the end of the previous one up to its value, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub lead: Vec<u8>,
    pub name: String,
    pub value: Vec<u8>,
}

/// An object: its members, and the bytes after the last value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub members: Vec<Member>,
    pub tail: Vec<u8>,
}

impl Object {
    /// Returns the value of a name; the last one if the name occurs twice.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let own = self.members.iter().rev().find(|member| member.name == name);
        own.map(|member| &member.value[..])
    }

    pub fn text(&self, name: &str) -> Option<String> {
        serde_json::from_slice(self.get(name)?).ok()
    }
}

pub fn value_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut place) = (0, at);
    loop {
        match bytes[place] {
            b'"' => place = string_end(bytes, place),
            b'{' | b'[' => {
                depth += 1;
                place += 1;
            }
            b'}' | b']' if depth == 0 => return place,
            b'}' | b']' => {
                depth -= 1;
                place += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return place,
            _ => place += 1,
        }
        if depth == 0 && matches!(bytes[place - 1], b'"' | b'}' | b']') {
            return place;
        }
    }
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut place = at + 1;
    loop {
        match bytes[place] {
            b'\\' => place += 2,
            b'"' => return place + 1,
            _ => place += 1,
        }
    }
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Reads an object that takes up all of the bytes.
pub fn object(bytes: &[u8]) -> Object {
    assert_eq!(bytes[0], b'{', "{:?}", String::from_utf8_lossy(bytes));
    let (mut members, mut from) = (Vec::new(), 0);
    loop {
        let start = blanks(bytes, from + usize::from(matches!(bytes[from], b'{' | b',')));
        let start = if bytes[start] == b',' { blanks(bytes, start + 1) } else { start };
        if bytes[start] == b'}' {
            let tail = bytes[from..].to_vec();
            return Object { members, tail };
        }
        let key_end = string_end(bytes, start);
        let value = blanks(bytes, blanks(bytes, key_end) + 1);
        let end = value_end(bytes, value);
        // A name that is not Unicode is used as it is.
        let name = serde_json::from_slice(&bytes[start..key_end])
            .unwrap_or_else(|_| String::from_utf8_lossy(&bytes[start..key_end]).into_owned());
        members.push(Member { lead: bytes[from..value].to_vec(), name, value: bytes[value..end].to_vec() });
        from = end;
    }
}

#[test]
fn the_reader_of_the_tests_tiles_a_record() {
    let record = b"{ \"a\\u0041\":1e400 ,\"b\": {\"c\":[\"}\\\"\"]},\"b\":\"x\" }";
    let object = object(record);
    let names: Vec<&str> = object.members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["aA", "b", "b"]);
    let tiles = object.members.iter().flat_map(|member| [&member.lead[..], &member.value[..]].concat());
    assert_eq!(tiles.chain(object.tail.iter().copied()).collect::<Vec<u8>>(), record);
    assert_eq!(object.text("b").unwrap(), "x");
}
