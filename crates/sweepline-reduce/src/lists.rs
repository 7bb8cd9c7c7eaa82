//! Many lists in one.

/// Lists of small numbers, one after the other in memory.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// Where each list ends.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            ends: vec![0],
            items: Vec::new(),
        }
    }
}

impl Lists {
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        let end =
            u32::try_from(self.items.len()).expect("tables are refused before they are so large");
        self.ends.push(end);
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// The number of items in all lists.
    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.items)
    }

    #[inline]
    pub(crate) fn get(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.items[self.ends[list] as usize..self.ends[list + 1] as usize]
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.push(list);
        }
        all
    }
}
